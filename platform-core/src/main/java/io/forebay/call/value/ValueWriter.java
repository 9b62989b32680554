/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes the values of format version 0. Not thread-safe. */
public final class ValueWriter {

  private static final ListType ANY_LIST = ListType.list(ScalarType.ANY);
  private static final ListType ANY_ARRAY = ListType.array(Object.class, ScalarType.ANY);

  final CborOutput out;
  private final Classes classes;
  private final TextCache texts = new TextCache();
  private int depth;

  public ValueWriter(CborOutput out, Classes classes) {
    this.out = out;
    this.classes = classes;
  }

  /** Resets the nesting depth after a value that could not be written. */
  public void reset() {
    depth = 0;
  }

  public void value(WireType type, @Nullable Object value) {
    if (value == null) {
      out.put(Cbor.NULL);
    } else {
      type.write(this, value);
    }
  }

  /** Writes a value whose parameter declares {@link Object}. */
  void any(Object value) {
    switch (value) {
      case String v -> out.text(Cbor.TEXT, v);
      case Long v -> out.integer(v);
      case Integer v -> out.integer(v);
      case Double v -> out.float64(v);
      case Boolean v -> out.bool(v);
      case BigDecimal v -> decimal(v);
      case LocalDate v -> date(v);
      case LocalDateTime v -> localDateTime(v);
      case OffsetDateTime v -> dateTime(v);
      case Instant v -> instant(v);
      case UUID v -> uuid(v);
      case byte[] v -> out.byteString(v);
      case Short v -> out.integer(v);
      case Byte v -> out.integer(v);
      case Float v -> out.float32(v);
      case LocalTime v -> localTime(v);
      case Json v -> json(v);
      case Record v -> record(v);
      case Class<?> v -> alias(v);
      case List<?> v -> ANY_LIST.write(this, v);
      case Object[] v -> ANY_ARRAY.write(this, v);
      default -> throw new RefusedValue(value.getClass().getTypeName());
    }
  }

  /** Writes a text that is often repeated as the same object, such as that of a statement. */
  void repeatedText(String value) {
    texts.write(value, out);
  }

  void decimal(BigDecimal value) {
    long exponent = -(long) value.scale();
    if (Math.abs(exponent) > Cbor.MAX_EXPONENT) {
      throw new RefusedValue(
          "a BigDecimal with a scale of more than %,d".formatted(Cbor.MAX_EXPONENT));
    }
    BigInteger unscaled = value.unscaledValue();
    out.tag(Cbor.TAG_DECIMAL);
    out.head(Cbor.ARRAY, 2);
    out.integer(exponent);
    boolean negative = unscaled.signum() < 0;
    BigInteger magnitude = negative ? unscaled.not() : unscaled;
    int bits = magnitude.bitLength();
    if (bits <= Long.SIZE) {
      out.head(negative ? Cbor.NEGATIVE : Cbor.UNSIGNED, magnitude.longValue());
      return;
    }
    int length = (bits + 7) / 8;
    if (length > Cbor.MAX_UNSCALED_BYTES) {
      throw new RefusedValue(
          "a BigDecimal with more than %,d bytes of digits".formatted(Cbor.MAX_UNSCALED_BYTES));
    }
    out.tag(negative ? Cbor.TAG_NEGATIVE_BIG : Cbor.TAG_UNSIGNED_BIG);
    byte[] bytes = magnitude.toByteArray();
    out.head(Cbor.BYTES, length);
    // If the highest bit is set, the array has an extra byte for the sign.
    out.raw(bytes, bytes.length - length, length);
  }

  void date(LocalDate value) {
    out.tag(Cbor.TAG_DATE);
    IsoText.date(value, out);
  }

  void localTime(LocalTime value) {
    out.tag(Cbor.TAG_LOCAL_TIME);
    IsoText.time(value, out);
  }

  void localDateTime(LocalDateTime value) {
    out.tag(Cbor.TAG_LOCAL_DATE_TIME);
    IsoText.dateTime(value, null, out);
  }

  void dateTime(OffsetDateTime value) {
    out.tag(Cbor.TAG_DATE_TIME);
    IsoText.dateTime(value.toLocalDateTime(), value.getOffset(), out);
  }

  void instant(Instant value) {
    dateTime(IsoText.atUtc(value));
  }

  void uuid(UUID value) {
    out.tag(Cbor.TAG_UUID);
    out.byteString(value.getMostSignificantBits(), value.getLeastSignificantBits());
  }

  void json(Json value) {
    out.tag(Cbor.TAG_JSON);
    out.text(Cbor.BYTES, value.text());
  }

  void alias(Class<?> value) {
    byte[] alias = classes.encodedAlias(value);
    if (alias == null) {
      throw new RefusedValue("the class " + value.getTypeName() + ", which has no alias");
    }
    out.tag(Cbor.TAG_ALIAS);
    encoded(alias);
  }

  private void record(Record value) {
    RecordType type = classes.record(value.getClass());
    byte[] alias = classes.encodedAlias(value.getClass());
    if (type == null || alias == null) {
      throw new RefusedValue(
          "the record " + value.getClass().getTypeName() + ", which has no alias");
    }
    out.tag(Cbor.TAG_RECORD);
    out.head(Cbor.ARRAY, 2);
    encoded(alias);
    type.write(this, value);
  }

  /** Writes an encoded item. */
  void encoded(byte[] item) {
    out.raw(item, 0, item.length);
  }

  void beginList(int size) {
    begin();
    out.head(Cbor.ARRAY, size);
  }

  void beginMap(int size) {
    begin();
    out.head(Cbor.MAP, size);
  }

  private void begin() {
    if (++depth > Cbor.MAX_DEPTH) {
      throw new RefusedValue("a value nested deeper than " + Cbor.MAX_DEPTH);
    }
  }

  void end() {
    depth--;
  }
}
