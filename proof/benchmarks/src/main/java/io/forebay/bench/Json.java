/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.Map;
import java.util.stream.Collectors;

/** Writes maps, lists, text, numbers and booleans as JSON. */
final class Json {

  private Json() {}

  static String write(Object value) {
    return write(value, "\n") + "\n";
  }

  private static String write(Object value, String line) {
    String deeper = line + "  ";
    return switch (value) {
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(it -> quoted(it.getKey().toString()) + ": " + write(it.getValue(), deeper))
              .collect(Collectors.joining("," + deeper, "{" + deeper, line + "}"));
      case Iterable<?> list -> {
        StringBuilder text = new StringBuilder();
        list.forEach(it -> text.append(text.isEmpty() ? "" : ", ").append(write(it, deeper)));
        yield "[" + text + "]";
      }
      case Double number when number.isNaN() || number.isInfinite() ->
          throw new IllegalArgumentException("JSON has no " + number);
      case Number number -> number.toString();
      case Boolean truth -> truth.toString();
      default -> quoted(value.toString());
    };
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
