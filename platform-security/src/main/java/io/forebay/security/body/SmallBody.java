/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security.body;

import io.forebay.problem.WholeText;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A JSON object of at most 4 KB. */
public final class SmallBody {

  static final int BYTES = 4_096;

  private static final JsonMapper JSON = JsonMapper.shared();

  private SmallBody() {}

  /**
   * Returns a required field.
   *
   * @throws Invalid if it is not a text
   */
  public static String text(JsonNode body, String field) {
    JsonNode value = body.path(field);
    if (!value.isString() || !WholeText.is(value.stringValue())) {
      throw new Invalid(List.of(new Invalid.Field(field, "must be " + WholeText.EXPECTED)));
    }
    return value.stringValue();
  }

  /**
   * @throws Invalid if it is not an object or is too large
   */
  public static JsonNode read(HttpServletRequest request) throws IOException {
    return parse(request.getInputStream().readNBytes(BYTES + 1));
  }

  static JsonNode parse(byte[] bytes) {
    try {
      JsonNode body = bytes.length > BYTES ? JSON.nullNode() : JSON.readTree(bytes);
      if (body.isObject()) {
        return body;
      }
    } catch (JacksonException _) {
      // refused below; the parser's message may contain parts of a password
    }
    throw invalid();
  }

  static Invalid invalid() {
    return new Invalid(
        List.of(
            new Invalid.Field(
                "", "must be a JSON object of at most 4,096 bytes, sent in one piece")));
  }
}
