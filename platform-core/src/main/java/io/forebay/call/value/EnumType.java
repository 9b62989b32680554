/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** An enum, by the name of its constant. */
final class EnumType extends WireType {

  private final Map<String, Enum<?>> constants = new LinkedHashMap<>();

  EnumType(Class<?> type) {
    super(type.getSimpleName());
    Arrays.stream(type.getEnumConstants())
        .map(c -> (Enum<?>) c)
        .forEach(c -> constants.put(c.name(), c));
  }

  @Override
  void write(ValueWriter out, Object value) {
    out.repeatedText(((Enum<?>) value).name());
  }

  @Override
  Object read(ValueReader in) {
    String text = in.repeatedText();
    Enum<?> constant = constants.get(text);
    if (constant == null) {
      throw DecodeFailure.malformed(
          "%s has no constant of that name (known: %s)"
              .formatted(name(), String.join(", ", constants.keySet())));
    }
    return constant;
  }
}
