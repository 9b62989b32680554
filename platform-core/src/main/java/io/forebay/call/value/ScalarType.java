/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A type of the format that has no element types, and its Java classes. */
public class ScalarType<V> extends WireType {

  /** The types allowed where {@link Object} is declared, for error texts. */
  public static final String ALLOWED =
      "null, Boolean, Byte, Short, Integer, Long, Float, Double, BigDecimal, String, byte[],"
          + " LocalDate, LocalTime, LocalDateTime, OffsetDateTime, Instant, UUID, Json, List,"
          + " Object[], a registered record, a registered Class";

  /** Any type: the item itself determines it. */
  static final WireType ANY =
      new ScalarType<>("any value", Object.class, ValueWriter::any, ValueReader::any);

  /** A class, by its alias. */
  static final WireType CLASS =
      new ScalarType<>("a class", Class.class, ValueWriter::alias, ValueReader::alias);

  private static final Map<Class<?>, WireType> TYPES = new HashMap<>();

  static {
    integer(byte.class, Byte.class, in -> (byte) in.integer(Byte.MIN_VALUE, Byte.MAX_VALUE));
    integer(short.class, Short.class, in -> (short) in.integer(Short.MIN_VALUE, Short.MAX_VALUE));
    integer(int.class, Integer.class, in -> (int) in.integer(Integer.MIN_VALUE, Integer.MAX_VALUE));
    integer(long.class, Long.class, in -> in.integer(Long.MIN_VALUE, Long.MAX_VALUE));
    both(boolean.class, Boolean.class, "boolean", (w, v) -> w.out.bool(v), ValueReader::bool);
    both(float.class, Float.class, "float", (w, v) -> w.out.float32(v), ValueReader::float32);
    both(double.class, Double.class, "double", (w, v) -> w.out.float64(v), ValueReader::float64);
    add(String.class, "text", ValueWriter::repeatedText, ValueReader::repeatedText);
    add(byte[].class, "bytes", (w, v) -> w.out.byteString(v), ValueReader::bytes);
    add(BigDecimal.class, "decimal number", ValueWriter::decimal, ValueReader::decimal);
    add(LocalDate.class, "date", ValueWriter::date, ValueReader::date);
    add(LocalTime.class, "local time", ValueWriter::localTime, ValueReader::localTime);
    add(
        LocalDateTime.class,
        "local date and time",
        ValueWriter::localDateTime,
        ValueReader::localDateTime);
    add(OffsetDateTime.class, "date and time", ValueWriter::dateTime, ValueReader::dateTime);
    add(Instant.class, "date and time", ValueWriter::instant, in -> in.dateTime().toInstant());
    add(
        Duration.class,
        "duration",
        (w, v) -> w.out.text(Cbor.TEXT, v.toString()),
        ValueReader::duration);
    add(
        Void.class,
        "null",
        (_, _) -> {},
        _ -> {
          throw DecodeFailure.wrongType("null", "a value");
        });
    add(UUID.class, "UUID", ValueWriter::uuid, ValueReader::uuid);
    add(Json.class, "JSON", ValueWriter::json, ValueReader::json);
    TYPES.put(Object.class, ANY);
    TYPES.put(Class.class, CLASS);
  }

  private final Class<V> type;
  private final BiConsumer<ValueWriter, V> writer;
  private final Function<ValueReader, V> reader;

  private ScalarType(
      String name,
      Class<V> type,
      BiConsumer<ValueWriter, V> writer,
      Function<ValueReader, V> reader) {
    super(name);
    this.type = type;
    this.writer = writer;
    this.reader = reader;
  }

  static @Nullable WireType of(Class<?> type) {
    return TYPES.get(type);
  }

  private static <V extends Number> void integer(
      Class<V> primitive, Class<V> box, Function<ValueReader, V> reader) {
    both(primitive, box, primitive.getName(), (w, v) -> w.out.integer(v.longValue()), reader);
  }

  private static <V> void both(
      Class<V> primitive,
      Class<V> box,
      String name,
      BiConsumer<ValueWriter, V> writer,
      Function<ValueReader, V> reader) {
    add(box, name, writer, reader);
    TYPES.put(
        primitive,
        new ScalarType<>(name, box, writer, reader) {
          @Override
          boolean nullable() {
            return false;
          }
        });
  }

  private static <V> void add(
      Class<V> type,
      String name,
      BiConsumer<ValueWriter, V> writer,
      Function<ValueReader, V> reader) {
    TYPES.put(type, new ScalarType<>(name, type, writer, reader));
  }

  @Override
  void write(ValueWriter out, Object value) {
    writer.accept(out, type.cast(value));
  }

  @Override
  Object read(ValueReader in) {
    return reader.apply(in);
  }
}
