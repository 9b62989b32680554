/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.batch.core.repository.ExecutionContextSerializer;
import org.springframework.batch.core.repository.dao.JacksonExecutionContextStringSerializer;
import tools.jackson.core.JacksonException;

/**
 * Stores execution contexts as JSON instead of serialized objects, which Forebay never reads. A
 * value that could not be read back is refused when it is written, while the step can still fail.
 */
final class JsonContexts implements ExecutionContextSerializer {

  private final ExecutionContextSerializer json = new JacksonExecutionContextStringSerializer();

  @Override
  public void serialize(Map<String, Object> context, OutputStream out) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    json.serialize(context, bytes);
    try {
      json.deserialize(new ByteArrayInputStream(bytes.toByteArray()));
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          "the execution context has a value that could not be read back (allowed: texts, numbers, dates,"
              + " and lists and maps of these); its values are "
              + types(context)
              + "; store the value in an allowed type",
          e);
    }
    bytes.writeTo(out);
  }

  private static String types(Map<String, Object> context) {
    return context.entrySet().stream()
        .map(it ->
            "%s (%s)"
                .formatted(
                    it.getKey(),
                    it.getValue() == null ? "null" : it.getValue().getClass().getName()))
        .collect(Collectors.joining(", "));
  }

  @Override
  public Map<String, Object> deserialize(InputStream in) throws IOException {
    return json.deserialize(in);
  }
}
