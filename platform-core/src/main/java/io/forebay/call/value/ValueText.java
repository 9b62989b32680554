/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the values of a message as text for people, without knowing their types. Limited in size:
 * {@link #cut()} says what was left out. Not thread-safe.
 *
 * <p>The text is the diagnostic notation of RFC 8949, but the types of format version 0 look as in
 * JSON: a decimal number as its digits; a UUID, date or time as text in quotes; JSON unchanged; a
 * record as its alias and a map.
 */
public final class ValueText {

  /** The most values; elements of lists and maps count too. */
  public static final int MAX_VALUES = 200;

  /** The most characters of a text, and the most hexadecimal digits of bytes. */
  public static final int MAX_LENGTH = 1_000;

  private static final String CUT = "…";

  /** A writer counts lists and maps alone; each may have a tag and a pair around it. */
  private static final int DEEPEST = 3 * Cbor.MAX_DEPTH + 3;

  private final CborInput in;
  private final ValueReader typed;
  private StringBuilder out = new StringBuilder();
  private int values;
  private long shortened;
  private long omitted;

  public ValueText(CborInput in) {
    this.in = in;
    this.typed = new ValueReader(in, new Classes(Aliases.none(), Map.of()));
  }

  /**
   * Reads the next value.
   *
   * @return its text; null if it was skipped because {@link #MAX_VALUES} were read before
   * @throws DecodeFailure if it is not CBOR as in format version 0
   */
  public @Nullable String next() {
    out = new StringBuilder();
    if (isFull()) {
      leaveOut(1, 1);
      return null;
    }
    write(1);
    return out.toString();
  }

  /** Like {@link #next}, for a name: without quotes. */
  public @Nullable String name() {
    if (isFull()) {
      leaveOut(1, 1);
      return null;
    }
    values++;
    return shortened(in.text());
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
    return hex(bytes, 0, bytes.length);
  }

  private static String hex(byte[] bytes, int from, int length) {
    int shown = Math.min(length, MAX_LENGTH / 2);
    return HexFormat.of().formatHex(bytes, from, from + shown) + (shown < length ? CUT : "");
  }

  private boolean isFull() {
    return values >= MAX_VALUES;
  }

  private void leaveOut(int elements, int itemsEach) {
    for (int i = 0; i < elements * itemsEach; i++) {
      in.skip();
    }
    omitted += elements;
    out.append(CUT);
  }

  private void write(int depth) {
    if (depth > DEEPEST) {
      throw CborInput.tooDeep();
    }
    values++;
    int start = in.at;
    int initial = in.head();
    switch (initial & 0xe0) {
      case Cbor.UNSIGNED -> out.append(Long.toUnsignedString(in.argument));
      case Cbor.NEGATIVE ->
          out.append(new BigInteger(Long.toUnsignedString(in.argument)).not().toString());
      case Cbor.BYTES -> bytes(in.checkedLength());
      case Cbor.TEXT -> quoted(in.textBytes(in.checkedLength()));
      case Cbor.ARRAY -> list(in.checkedCount(1), depth);
      case Cbor.MAP -> map(in.checkedCount(2), depth);
      case Cbor.TAG -> tagged(start, depth);
      default -> simple(start, initial);
    }
  }

  private void bytes(int length) {
    out.append("h'").append(hex(in.bytes, in.at, length)).append('\'');
    shortened += length > MAX_LENGTH / 2 ? 1 : 0;
    in.at += length;
  }

  private void list(int count, int depth) {
    out.append('[');
    for (int i = 0; i < count; i++) {
      separate(i);
      if (isFull()) {
        leaveOut(count - i, 1);
        break;
      }
      write(depth + 1);
    }
    out.append(']');
  }

  private void map(int count, int depth) {
    out.append('{');
    for (int i = 0; i < count; i++) {
      separate(i);
      if (isFull()) {
        leaveOut(count - i, 2);
        break;
      }
      write(depth + 1);
      out.append(": ");
      write(depth + 1);
    }
    out.append('}');
  }

  private void separate(int index) {
    out.append(index == 0 ? "" : ", ");
  }

  private void tagged(int start, int depth) {
    long tag = in.argument;
    int content = in.at;
    switch (tag < 0 || tag > Integer.MAX_VALUE ? -1 : (int) tag) {
      case Cbor.TAG_DECIMAL -> {
        in.at = start;
        typed.reset();
        out.append(shortened(typed.decimal().toString()));
      }
      case Cbor.TAG_UUID -> {
        in.at = start;
        UUID uuid = typed.uuid();
        out.append('"').append(uuid).append('"');
      }
      case Cbor.TAG_JSON -> {
        in.at = start;
        out.append(shortened(typed.json().text()));
      }
      case Cbor.TAG_RECORD -> {
        if (in.head() != (Cbor.ARRAY | 2)) {
          in.at = content;
          unknown(tag, depth);
          return;
        }
        out.append(shortened(in.text())).append(' ');
        write(depth + 1);
      }
      case Cbor.TAG_DATE_TIME,
          Cbor.TAG_DATE,
          Cbor.TAG_LOCAL_TIME,
          Cbor.TAG_LOCAL_DATE_TIME,
          Cbor.TAG_ALIAS ->
          quoted(in.text());
      default -> unknown(tag, depth);
    }
  }

  private void unknown(long tag, int depth) {
    out.append(Long.toUnsignedString(tag)).append('(');
    write(depth + 1);
    out.append(')');
  }

  private void simple(int start, int initial) {
    switch (initial) {
      case Cbor.NULL -> out.append("null");
      case Cbor.TRUE -> out.append("true");
      case Cbor.FALSE -> out.append("false");
      case Cbor.FLOAT16, Cbor.FLOAT32, Cbor.FLOAT64 -> {
        in.at = start;
        double number = typed.float64();
        out.append(
            initial == Cbor.FLOAT64 ? Double.toString(number) : Float.toString((float) number));
      }
      default -> out.append("simple(").append(in.argument).append(')');
    }
  }

  private void quoted(String text) {
    out.append('"');
    String shown = shortened(text);
    for (int i = 0; i < shown.length(); i++) {
      char c = shown.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        default -> {
          if (Character.isISOControl(c)) {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
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
