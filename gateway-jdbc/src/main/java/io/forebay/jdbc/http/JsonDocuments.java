/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.util.ByteArrayBuilder;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/** Writes the documents of the door, whose form does not depend on the application's mapper. */
final class JsonDocuments {

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .changeDefaultPropertyInclusion(it -> it.withValueInclusion(JsonInclude.Include.NON_NULL))
          .build();

  private JsonDocuments() {}

  /** Answers with a record. */
  static void write(HttpServletResponse response, int status, Object document) throws IOException {
    write(response, status, JSON.writeValueAsBytes(document));
  }

  static void write(HttpServletResponse response, int status, byte[] document) throws IOException {
    response.setStatus(status);
    response.setContentType(MediaType.APPLICATION_JSON_VALUE);
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    response.setContentLength(document.length);
    response.getOutputStream().write(document);
  }

  /**
   * Writes a result, whose bytes are counted until its client has taken them.
   *
   * @return false if the budget is exhausted; then nothing was written
   */
  static boolean writeWithin(ByteBudget budget, HttpServletResponse response, ResultDocument result)
      throws IOException {
    byte[] bytes = bytes(result::write);
    try (ByteBudget.Share share = budget.take(bytes.length)) {
      if (share != null) {
        write(response, 200, bytes);
      }
      return share != null;
    }
  }

  /** Writes a record and a newline to a response of several lines. */
  static void writeLine(HttpServletResponse response, Object document) throws IOException {
    response.getOutputStream().write(JSON.writeValueAsBytes(document));
    response.getOutputStream().write('\n');
  }

  /** A problem document as the member of a record. */
  static RawValue problem(Problem problem, HttpServletRequest request) {
    return new RawValue(new String(problem.json(request.getRequestURI()), UTF_8));
  }

  static JsonGenerator generator(OutputStream to) {
    return JSON.createGenerator(to);
  }

  static byte[] bytes(Consumer<JsonGenerator> document) {
    try (ByteArrayBuilder bytes = new ByteArrayBuilder()) {
      try (JsonGenerator out = generator(bytes)) {
        document.accept(out);
      }
      return bytes.getClearAndRelease();
    }
  }
}
