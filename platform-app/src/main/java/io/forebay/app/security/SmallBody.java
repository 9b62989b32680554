/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import io.forebay.problem.WholeText;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads a body that anybody may send, without keeping more of it in memory than it may have. */
final class SmallBody {

  private static final int BYTES = 4_096;

  private final JsonMapper json;

  SmallBody(JsonMapper json) {
    this.json = json;
  }

  /**
   * A field that must be there.
   *
   * @throws Invalid if it is no text
   */
  static String text(JsonNode body, String field) {
    JsonNode value = body.path(field);
    if (!value.isString() || !WholeText.is(value.stringValue())) {
      throw new Invalid(List.of(new Invalid.Field(field, "must be " + WholeText.EXPECTED)));
    }
    return value.stringValue();
  }

  /**
   * @throws Invalid if it is no object, or too large
   */
  JsonNode read(HttpServletRequest request) throws IOException {
    byte[] bytes = request.getInputStream().readNBytes(BYTES + 1);
    try {
      JsonNode body = bytes.length > BYTES ? json.nullNode() : json.readTree(bytes);
      if (body.isObject()) {
        return body;
      }
    } catch (JacksonException _) {
      // refused below; the message would hold parts of a password
    }
    throw new Invalid(
        List.of(new Invalid.Field("", "must be a JSON object of at most 4,096 bytes")));
  }
}
