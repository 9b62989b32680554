/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the values that {@link ValueReader#next} read without classes as text for people. Limited
 * in size: {@link #cut()} says what was left out. Not thread-safe.
 *
 * <p>Values look as in JSON: a decimal number as its digits; a UUID, date or time as text in
 * quotes; JSON unchanged; a record as its alias and a map. Bytes are in hexadecimal.
 */
public final class ValueText {

  /** The most values; elements of lists and maps count too. */
  public static final int MAX_VALUES = 200;

  /** The most characters of a text, and the most hexadecimal digits of bytes. */
  public static final int MAX_LENGTH = 1_000;

  private static final String CUT = "…";

  private StringBuilder out = new StringBuilder();
  private int values;
  private long shortened;
  private long omitted;

  /** The texts of the first of these values; those beyond {@link #MAX_VALUES} are left out. */
  public List<String> texts(List<? extends @Nullable Object> elements) {
    List<String> texts = new ArrayList<>();
    for (Object element : elements) {
      if (isFull(elements.size() - texts.size())) {
        break;
      }
      out = new StringBuilder();
      write(element);
      texts.add(out.toString());
    }
    return texts;
  }

  /** A name, without quotes; null if it is left out. */
  public @Nullable String name(String name) {
    if (isFull(1)) {
      return null;
    }
    values++;
    return shortened(name);
  }

  /** What was left out; null if nothing was. */
  public @Nullable String cut() {
    List<String> parts = new ArrayList<>();
    if (shortened > 0) {
      parts.add("%,d shortened to %,d characters".formatted(shortened, MAX_LENGTH));
    }
    if (omitted > 0) {
      parts.add("%,d not shown (limit=%,d values)".formatted(omitted, MAX_VALUES));
    }
    return parts.isEmpty() ? null : String.join(", ", parts);
  }

  /** The first bytes in hexadecimal. */
  public static String hex(byte[] bytes) {
    int shown = Math.min(bytes.length, MAX_LENGTH / 2);
    return HexFormat.of().formatHex(bytes, 0, shown) + (shown < bytes.length ? CUT : "");
  }

  /** Whether no more values are written, so that these are left out. */
  private boolean isFull(int elements) {
    if (values < MAX_VALUES) {
      return false;
    }
    omitted += elements;
    out.append(CUT);
    return true;
  }

  private void write(@Nullable Object value) {
    values++;
    switch (value) {
      case String text -> quoted(text);
      case UUID uuid -> quoted(uuid.toString());
      case byte[] bytes -> {
        out.append("h'").append(hex(bytes)).append('\'');
        shortened += bytes.length > MAX_LENGTH / 2 ? 1 : 0;
      }
      case List<?> list -> all('[', list, ']');
      case ValueReader.Pairs pairs -> all('{', pairs.all(), '}');
      case ValueReader.UnknownRecord unknown -> {
        out.append(shortened(unknown.alias())).append(' ');
        write(unknown.components());
      }
      case Json json -> out.append(shortened(json.text()));
      case null, default -> out.append(shortened(String.valueOf(value)));
    }
  }

  /** Elements of a list, or pairs of a map. */
  private void all(char first, List<?> elements, char last) {
    out.append(first);
    for (int i = 0; i < elements.size(); i++) {
      out.append(i == 0 ? "" : ", ");
      if (isFull(elements.size() - i)) {
        break;
      }
      if (elements.get(i) instanceof Map.Entry<?, ?> pair) {
        write(pair.getKey());
        out.append(": ");
        write(pair.getValue());
      } else {
        write(elements.get(i));
      }
    }
    out.append(last);
  }

  private void quoted(String text) {
    out.append('"');
    shortened(text)
        .chars()
        .forEach(c -> {
          if (c == '"' || c == '\\') {
            out.append('\\').append((char) c);
          } else if (c == '\n') {
            out.append("\\n");
          } else if (Character.isISOControl(c)) {
            out.append("\\u%04x".formatted(c));
          } else {
            out.append((char) c);
          }
        });
    out.append('"');
  }

  private String shortened(String text) {
    if (text.length() <= MAX_LENGTH) {
      return text;
    }
    shortened++;
    int end = Character.isHighSurrogate(text.charAt(MAX_LENGTH - 1)) ? MAX_LENGTH - 1 : MAX_LENGTH;
    return text.substring(0, end) + CUT;
  }
}
