/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import static io.forebay.call.value.DecodeFailure.malformed;
import static io.forebay.call.value.DecodeFailure.wrongType;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the values of format version 0. Not thread-safe. */
public final class ValueReader {

  /** The initial capacity for the elements of a list. */
  static final int FIRST_ELEMENTS = 64;

  private static final int MAX_ISO_BYTES = 64;
  private static final byte[] NO_BYTES = {};
  private static final ListType ANY_LIST = ListType.list(ScalarType.ANY);

  private final CborInput in;
  private final @Nullable Classes classes;
  private final TextPool texts = new TextPool();
  private int depth;

  public ValueReader(CborInput in, Classes classes) {
    this.in = in;
    this.classes = classes;
  }

  /** Creates a reader of {@link #next} values, which knows no classes. */
  public ValueReader(CborInput in) {
    this.in = in;
    this.classes = null;
  }

  /** A record whose class is not known. */
  record UnknownRecord(String alias, Pairs components) {}

  /** A map of unknown type, in its order. It hashes no key, because senders choose them. */
  public record Pairs(List<Map.Entry<@Nullable Object, @Nullable Object>> all) {

    /** The first value of a key; null if there is none. */
    public @Nullable Object get(String key) {
      for (Map.Entry<@Nullable Object, @Nullable Object> pair : all) {
        if (key.equals(pair.getKey())) {
          return pair.getValue();
        }
      }
      return null;
    }
  }

  /** Resets the nesting depth after a value that could not be read. */
  public void reset() {
    depth = 0;
  }

  @Nullable
  public Object value(WireType type) {
    if (!in.skipNull()) {
      return type.read(this);
    }
    if (!type.nullable()) {
      throw wrongType(type.name(), "null");
    }
    return null;
  }

  /**
   * Reads the next value, whatever its type. If the reader knows no classes, an alias, a date or a
   * time is a String, as it was written; a map is {@link Pairs}, and a record has these.
   */
  public @Nullable Object next() {
    return value(ScalarType.ANY);
  }

  /** Reads a value of any type except null. */
  Object any() {
    int initial = in.peek();
    return switch (initial & 0xe0) {
      case Cbor.UNSIGNED, Cbor.NEGATIVE -> integer(Long.MIN_VALUE, Long.MAX_VALUE);
      case Cbor.TEXT -> in.text();
      case Cbor.BYTES -> bytes();
      case Cbor.ARRAY -> ANY_LIST.read(this);
      case Cbor.TAG -> tagged();
      case Cbor.MAP -> map();
      default ->
          switch (initial) {
            case Cbor.FALSE, Cbor.TRUE -> bool();
            case Cbor.FLOAT16, Cbor.FLOAT32 -> float32();
            case Cbor.FLOAT64 -> float64();
            default -> {
              in.head();
              throw wrongType("a value", in.name(initial));
            }
          };
    };
  }

  private Object map() {
    if (classes != null) {
      throw wrongType("a value", "a map that is not a registered record");
    }
    return pairs();
  }

  private Pairs pairs() {
    int count = beginMap("a map");
    List<Map.Entry<@Nullable Object, @Nullable Object>> pairs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      pairs.add(new AbstractMap.SimpleImmutableEntry<>(next(), next()));
    }
    end();
    return new Pairs(pairs);
  }

  private Object tagged() {
    int start = in.at;
    int initial = in.head();
    long tag = in.argument;
    in.at = start;
    return switch (tag < 0 || tag > Integer.MAX_VALUE ? -1 : (int) tag) {
      case Cbor.TAG_DATE_TIME -> classes == null ? taggedText() : dateTime();
      case Cbor.TAG_DECIMAL -> decimal();
      case Cbor.TAG_RECORD -> record();
      case Cbor.TAG_UUID -> uuid();
      case Cbor.TAG_ALIAS -> classes == null ? aliasOfClass() : alias();
      case Cbor.TAG_JSON -> json();
      case Cbor.TAG_DATE -> classes == null ? taggedText() : date();
      case Cbor.TAG_LOCAL_TIME -> classes == null ? taggedText() : localTime();
      case Cbor.TAG_LOCAL_DATE_TIME -> classes == null ? taggedText() : localDateTime();
      default -> throw wrongType("a value of format version 0", in.name(initial));
    };
  }

  private String taggedText() {
    in.head();
    return in.text();
  }

  Boolean bool() {
    int initial = in.head();
    return switch (initial) {
      case Cbor.TRUE -> true;
      case Cbor.FALSE -> false;
      default -> throw wrongType("boolean", in.name(initial));
    };
  }

  long integer(long min, long max) {
    int initial = in.head();
    int major = initial & 0xe0;
    if (major != Cbor.UNSIGNED && major != Cbor.NEGATIVE) {
      throw wrongType("an integer", in.name(initial));
    }
    long value = major == Cbor.UNSIGNED ? in.argument : ~in.argument;
    if (in.argument < 0 || value < min || value > max) {
      throw wrongType("an integer from %d to %d".formatted(min, max), "one beyond that");
    }
    return value;
  }

  float float32() {
    double value = float64();
    float narrow = (float) value;
    if (Double.compare(narrow, value) != 0) {
      throw wrongType("a float of 32 bits", "one of 64 bits that does not fit");
    }
    return narrow;
  }

  double float64() {
    int initial = in.head();
    return switch (initial) {
      case Cbor.FLOAT16 -> Float.float16ToFloat((short) in.argument);
      case Cbor.FLOAT32 -> Float.intBitsToFloat((int) in.argument);
      case Cbor.FLOAT64 -> Double.longBitsToDouble(in.argument);
      default -> throw wrongType("a floating-point number", in.name(initial));
    };
  }

  /** Reads a text that is often repeated, such as that of a statement. */
  String repeatedText() {
    return texts.read(in, in.string(Cbor.TEXT, "text"));
  }

  byte[] bytes() {
    int length = in.string(Cbor.BYTES, "bytes");
    if (length == 0) {
      return NO_BYTES;
    }
    byte[] value = Arrays.copyOfRange(in.bytes, in.at, in.at + length);
    in.at += length;
    return value;
  }

  BigDecimal decimal() {
    in.tag(Cbor.TAG_DECIMAL, "a decimal number");
    in.head(Cbor.ARRAY, "exponent and digits of a decimal number");
    if (in.argument != 2) {
      throw malformed("a decimal number that is not a pair");
    }
    long exponent = integer(Long.MIN_VALUE, Long.MAX_VALUE);
    if (exponent > Cbor.MAX_EXPONENT || exponent < -Cbor.MAX_EXPONENT) {
      throw malformed("a decimal number with an exponent beyond ±%,d".formatted(Cbor.MAX_EXPONENT));
    }
    int scale = (int) -exponent;
    int start = in.at;
    int initial = in.head();
    int major = initial & 0xe0;
    if (major == Cbor.TAG) {
      return new BigDecimal(bigInteger(), scale);
    }
    if (in.argument < 0 && major <= Cbor.NEGATIVE) {
      BigInteger magnitude = new BigInteger(Long.toUnsignedString(in.argument));
      return new BigDecimal(major == Cbor.NEGATIVE ? magnitude.not() : magnitude, scale);
    }
    in.at = start;
    return BigDecimal.valueOf(integer(Long.MIN_VALUE, Long.MAX_VALUE), scale);
  }

  /** The number whose tag was just read. */
  private BigInteger bigInteger() {
    long tag = in.argument;
    if (tag != Cbor.TAG_UNSIGNED_BIG && tag != Cbor.TAG_NEGATIVE_BIG) {
      throw wrongType("the digits of a decimal number", "tag " + Long.toUnsignedString(tag));
    }
    int length = in.string(Cbor.BYTES, "the digits of a decimal number");
    if (length > Cbor.MAX_UNSCALED_BYTES) {
      throw malformed(
          "a decimal number of %,d bytes (limit=%,d)".formatted(length, Cbor.MAX_UNSCALED_BYTES));
    }
    BigInteger magnitude = new BigInteger(1, in.bytes, in.at, length);
    in.at += length;
    return tag == Cbor.TAG_NEGATIVE_BIG ? magnitude.not() : magnitude;
  }

  LocalDate date() {
    in.tag(Cbor.TAG_DATE, "a date");
    return iso("a date", LocalDate::parse);
  }

  LocalTime localTime() {
    in.tag(Cbor.TAG_LOCAL_TIME, "a local time");
    return iso("a local time", LocalTime::parse);
  }

  LocalDateTime localDateTime() {
    in.tag(Cbor.TAG_LOCAL_DATE_TIME, "a local date and time");
    return iso("a local date and time", LocalDateTime::parse);
  }

  OffsetDateTime dateTime() {
    in.tag(Cbor.TAG_DATE_TIME, "a date and time with offset");
    return iso("a date and time with offset", OffsetDateTime::parse);
  }

  Duration duration() {
    return iso("a duration", Duration::parse);
  }

  private <V> V iso(String expected, Function<String, V> parse) {
    int length = in.string(Cbor.TEXT, expected);
    if (length > MAX_ISO_BYTES) {
      throw malformed("%s of %,d bytes (limit=%d)".formatted(expected, length, MAX_ISO_BYTES));
    }
    try {
      return parse.apply(in.textBytes(length));
    } catch (DateTimeException e) {
      throw malformed("text that is not " + expected + " in ISO 8601");
    }
  }

  UUID uuid() {
    in.tag(Cbor.TAG_UUID, "a UUID");
    if (in.string(Cbor.BYTES, "a UUID") != 16) {
      throw malformed("a UUID that is not of 16 bytes");
    }
    UUID value =
        new UUID(
            (long) Cbor.LONGS.get(in.bytes, in.at), (long) Cbor.LONGS.get(in.bytes, in.at + 8));
    in.at += 16;
    return value;
  }

  Json json() {
    in.tag(Cbor.TAG_JSON, "JSON");
    return new Json(in.textBytes(in.string(Cbor.BYTES, "JSON")));
  }

  Class<?> alias() {
    return Objects.requireNonNull(classes).type(aliasOfClass());
  }

  private String aliasOfClass() {
    in.tag(Cbor.TAG_ALIAS, "the alias of a class");
    return texts.read(in, in.string(Cbor.TEXT, "the alias of a class"));
  }

  private Object record() {
    in.tag(Cbor.TAG_RECORD, "a record");
    in.head(Cbor.ARRAY, "alias and components of a record");
    if (in.argument != 2) {
      throw malformed("a record that is not a pair");
    }
    String alias = texts.read(in, in.string(Cbor.TEXT, "the alias of a record"));
    return classes == null ? new UnknownRecord(alias, pairs()) : classes.record(alias).read(this);
  }

  /** Reads the head of a list and returns how many elements follow. */
  int beginList() {
    in.head(Cbor.ARRAY, "a list");
    enter();
    return in.checkedCount(1);
  }

  /** Reads the head of a map and returns how many pairs follow. */
  int beginMap(String expected) {
    in.head(Cbor.MAP, expected);
    enter();
    return in.checkedCount(2);
  }

  private void enter() {
    if (++depth > Cbor.MAX_DEPTH) {
      throw CborInput.tooDeep();
    }
  }

  /** Ends a list or map after its last element. */
  void end() {
    depth--;
  }

  /** Reads the head of a component's name and returns its length. */
  int beginName() {
    return in.string(Cbor.TEXT, "the name of a component");
  }

  /** Skips the name if it equals this one. */
  public boolean skipName(int length, byte[] name) {
    return in.skipBytes(length, name);
  }

  public String unknownName(int length) {
    return CborInput.printable(Utf8.decode(in.bytes, in.at, length));
  }
}
