/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;

import com.upokecenter.cbor.CBOREncodeOptions;
import com.upokecenter.cbor.CBORObject;
import com.upokecenter.numbers.EInteger;
import io.forebay.call.value.Json;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Compares writer and reader with an independent CBOR library. */
class OracleTest {

  private static final int VALUES = 2_000;
  private static final Protocol<Statements> PROTOCOL =
      Protocol.of(Statements.class, RandomValues.ALIASES);
  private static final CBOREncodeOptions WIDTHS_KEPT = new CBOREncodeOptions("float64=true");

  @RepeatedTest(5)
  void theLibraryReadsWhatIsWritten(RepetitionInfo repetition) {
    RandomValues values = new RandomValues(new SplittableRandom(repetition.getCurrentRepetition()));
    TestQueue queue = new TestQueue();
    try (Writer<Statements> writer = PROTOCOL.writer(queue.queue())) {
      for (int i = 0; i < VALUES; i++) {
        String query = values.text();
        Object[] args = values.args();
        writer.calls().executeUpdate(query, args);
        CBORObject read = CBORObject.DecodeFromBytes(queue.appended.removeLast().bytes());
        CBORObject expected =
            Foreign.array(
                0,
                Foreign.bytes(writer.lastId()),
                read.get(2),
                null,
                "executeUpdate",
                Foreign.array(query, cbor(Arrays.asList(args))));
        assertThat(read).isEqualTo(expected);
      }
    }
  }

  @RepeatedTest(5)
  void messagesOfTheLibraryAreRead(RepetitionInfo repetition) {
    RandomValues values =
        new RandomValues(new SplittableRandom(-repetition.getCurrentRepetition()));
    Recorder<Statements> recorder = new Recorder<>(Statements.class);
    CallReader<Statements> reader = PROTOCOL.reader("in", recorder.target());
    for (int i = 0; i < VALUES; i++) {
      String query = values.text();
      List<Object> args = Arrays.asList(values.args());
      byte[] message =
          Foreign.envelope(null)
              .Add("executeUpdate")
              .Add(Foreign.array(query, cbor(args)))
              .EncodeToBytes(WIDTHS_KEPT);
      // The library writes all floats with 64 bits; those of 32 are tested elsewhere.
      if (Arrays.stream(args.toArray()).noneMatch(OracleTest::holdsFloat)) {
        reader.read(0, i, ByteBuffer.wrap(message));
        assertThat(recorder.last().arguments().getFirst()).isEqualTo(query);
        assertThat(recorder.last().varargs()).usingRecursiveComparison().isEqualTo(args);
      }
    }
    assertThat(recorder.calls()).hasSizeGreaterThan(VALUES / 2);
  }

  private static boolean holdsFloat(Object value) {
    return switch (value) {
      case null -> false;
      case Float f -> true;
      case List<?> list -> list.stream().anyMatch(OracleTest::holdsFloat);
      case RandomValues.Item item -> holdsFloat(item.value()) || holdsFloat(item.items());
      default -> false;
    };
  }

  /** The value as the format document defines it, built with the library. */
  private static CBORObject cbor(Object value) {
    return switch (value) {
      case BigDecimal d -> Foreign.tagged(4, Foreign.array(-d.scale(), integer(d.unscaledValue())));
      case LocalDate d -> Foreign.tagged(1004, d.toString());
      case LocalTime t -> Foreign.tagged(64_257, seconds(t));
      case LocalDateTime t -> Foreign.tagged(64_258, seconds(t));
      case OffsetDateTime t -> Foreign.tagged(0, seconds(t.toLocalDateTime()) + t.getOffset());
      case UUID id -> Foreign.tagged(37, Foreign.bytes(id));
      case Json json -> Foreign.tagged(262, json.text().getBytes(StandardCharsets.UTF_8));
      case Class<?> c -> Foreign.tagged(39, "instant");
      case List<?> list -> Foreign.array(list.stream().map(OracleTest::cbor).toArray());
      case RandomValues.Item item -> Foreign.tagged(27, Foreign.array("item", map(item)));
      case null -> CBORObject.Null;
      default -> Foreign.array(value).get(0);
    };
  }

  private static CBORObject map(RandomValues.Item item) {
    return Foreign.map(
        "number", item.number(),
        "value", cbor(item.value()),
        "items", Foreign.array(item.items().stream().map(OracleTest::map).toArray()));
  }

  private static CBORObject integer(BigInteger value) {
    return CBORObject.FromObject(EInteger.FromString(value.toString()));
  }

  private static String seconds(LocalDateTime time) {
    return time.toLocalDate() + "T" + seconds(time.toLocalTime());
  }

  private static String seconds(LocalTime time) {
    String text = time.toString();
    return text.length() == "00:00".length() ? text + ":00" : text;
  }
}
