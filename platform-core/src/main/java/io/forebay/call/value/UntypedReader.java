/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.math.BigInteger;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads values without knowing their types, for {@link ValueText}. Not thread-safe. */
public final class UntypedReader {

  /**
   * A writer counts the lists and maps of a value alone: each may have a tag and a pair around it,
   * and all are in the arguments of a call in a message.
   */
  private static final int DEEPEST = 3 * Cbor.MAX_DEPTH + 5;

  private final CborInput in;
  private final ValueReader typed;

  /** A value with the text that diagnostic notation has around it. */
  record Marked(String before, @Nullable Object value, String after) {}

  /** A map, in its order. It hashes no key, because senders choose them. */
  public record Pairs(List<Map.Entry<@Nullable Object, @Nullable Object>> all) {

    public static final Pairs NONE = new Pairs(List.of());

    /** The value of a key; null if there is none. */
    public @Nullable Object get(String key) {
      for (Map.Entry<@Nullable Object, @Nullable Object> pair : all) {
        if (key.equals(pair.getKey())) {
          return pair.getValue();
        }
      }
      return null;
    }
  }

  public UntypedReader(CborInput in) {
    this.in = in;
    this.typed = new ValueReader(in, new Classes(Aliases.none(), Map.of()));
  }

  /**
   * Reads the next value: a number, Boolean, String, byte[], UUID, {@link Json}, List, {@link
   * Pairs}, or null; a date or time is a String.
   *
   * @throws DecodeFailure if it is not CBOR as in format version 0
   */
  public @Nullable Object next() {
    return next(1);
  }

  private @Nullable Object next(int depth) {
    if (depth > DEEPEST) {
      throw CborInput.tooDeep();
    }
    int start = in.at;
    int initial = in.head();
    return switch (initial & 0xe0) {
      case Cbor.UNSIGNED -> in.argument >= 0 ? (Object) in.argument : unsigned();
      case Cbor.NEGATIVE -> in.argument >= 0 ? (Object) ~in.argument : unsigned().not();
      case Cbor.TEXT -> in.textBytes(in.checkedLength());
      case Cbor.ARRAY -> list(in.checkedCount(1), depth);
      case Cbor.MAP -> pairs(in.checkedCount(2), depth);
      case Cbor.TAG -> tagged(start, depth);
      case Cbor.BYTES -> {
        in.at = start;
        yield typed.bytes();
      }
      default -> simple(start, initial);
    };
  }

  private BigInteger unsigned() {
    return new BigInteger(Long.toUnsignedString(in.argument));
  }

  private List<@Nullable Object> list(int count, int depth) {
    List<@Nullable Object> list =
        new ArrayList<>(
            Math.min(count, ValueReader.FIRST_ELEMENTS)); // it may claim more than it has
    for (int i = 0; i < count; i++) {
      list.add(next(depth + 1));
    }
    return list;
  }

  private Pairs pairs(int count, int depth) {
    List<Map.Entry<@Nullable Object, @Nullable Object>> pairs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      pairs.add(new AbstractMap.SimpleImmutableEntry<>(next(depth + 1), next(depth + 1)));
    }
    return new Pairs(pairs);
  }

  private @Nullable Object tagged(int start, int depth) {
    long tag = in.argument;
    int content = in.at;
    in.at = start;
    return switch (tag < 0 || tag > Integer.MAX_VALUE ? -1 : (int) tag) {
      case Cbor.TAG_DECIMAL -> typed.decimal();
      case Cbor.TAG_UUID -> typed.uuid();
      case Cbor.TAG_JSON -> typed.json();
      case Cbor.TAG_DATE_TIME,
          Cbor.TAG_DATE,
          Cbor.TAG_LOCAL_TIME,
          Cbor.TAG_LOCAL_DATE_TIME,
          Cbor.TAG_ALIAS -> {
        in.at = content;
        yield in.text();
      }
      default -> {
        in.at = content;
        Object value = next(depth + 1);
        yield tag == Cbor.TAG_RECORD
                && value instanceof List<?> pair
                && pair.size() == 2
                && pair.getFirst() instanceof String alias
            ? new Marked(alias + " ", pair.getLast(), "")
            : new Marked(Long.toUnsignedString(tag) + "(", value, ")");
      }
    };
  }

  private @Nullable Object simple(int start, int initial) {
    return switch (initial) {
      case Cbor.NULL -> null;
      case Cbor.TRUE, Cbor.FALSE -> initial == Cbor.TRUE;
      case Cbor.FLOAT16, Cbor.FLOAT32, Cbor.FLOAT64 -> {
        in.at = start;
        double number = typed.float64();
        yield initial == Cbor.FLOAT64 ? (Object) number : (Object) (float) number;
      }
      default -> new Marked("simple(", in.argument, ")");
    };
  }
}
