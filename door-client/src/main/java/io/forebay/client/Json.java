/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes documents. */
final class Json {

  private static final JsonMapper MAPPER = JsonMapper.shared();

  private Json() {}

  static JsonNode read(String text) {
    return MAPPER.readTree(text);
  }

  /** The text has no line break. */
  static byte[] write(Map<String, ? extends @Nullable Object> object) {
    return MAPPER.writeValueAsBytes(object);
  }

  /** Strings, booleans, numbers, lists and maps. */
  static @Nullable Object value(JsonNode node) {
    return MAPPER.treeToValue(node, Object.class);
  }
}
