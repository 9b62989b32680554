/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static io.forebay.call.Foreign.array;
import static io.forebay.call.Foreign.bytes;
import static io.forebay.call.Foreign.envelope;
import static io.forebay.call.Foreign.hex;
import static io.forebay.call.Foreign.map;
import static io.forebay.call.Foreign.message;
import static io.forebay.call.Foreign.tagged;
import static io.forebay.call.value.UndecodableReason.MALFORMED;
import static io.forebay.call.value.UndecodableReason.UNKNOWN_ALIAS;
import static io.forebay.call.value.UndecodableReason.UNKNOWN_METHOD;
import static io.forebay.call.value.UndecodableReason.UNKNOWN_VERSION;
import static io.forebay.call.value.UndecodableReason.WRONG_ARITY;
import static io.forebay.call.value.UndecodableReason.WRONG_TYPE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.upokecenter.cbor.CBORObject;
import io.forebay.call.value.Aliases;
import io.forebay.call.value.UndecodableReason;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.memory.MemoryBackend;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class UndecodableMessageTest {

  record Point(int x, Integer y) {
    Point {
      if (x < 0) {
        throw new IllegalArgumentException("negative");
      }
    }
  }

  interface Typed {
    void any(Object value);

    void small(byte value);

    void floating(float value);

    void text(String value);

    void point(Point value);

    void points(List<Point> value);

    void state(Thread.State value);

    void type(Class<?> value);
  }

  private static final Protocol<Typed> PROTOCOL =
      Protocol.of(Typed.class, Aliases.none().with("point", Point.class).with("map", Map.class));

  private final Recorder<Typed> recorder = new Recorder<>(Typed.class);
  private final CallReader<Typed> reader = PROTOCOL.reader("orders.in", recorder.target());

  private UndecodableMessage read(byte[] message) {
    UndecodableMessage e =
        catchThrowableOfType(
            UndecodableMessage.class, () -> reader.read(2, 1_234, ByteBuffer.wrap(message)));
    assertThat(recorder.calls()).isEmpty();
    assertThat(e).isNotNull();
    return e;
  }

  @Test
  void itContainsTheMessageAndItsEnvelope() {
    UndecodableMessage e =
        read(envelope(map("client", "c")).Add("any").Add(array(1, 2)).EncodeToBytes());
    assertThat(e)
        .hasMessage(
            "the message at position 1,234 in partition 2 of queue orders.in cannot be decoded"
                + " (WRONG_ARITY): any, 2 arguments instead of 1; nothing of it was performed");
    assertThat(e.reason()).isEqualTo(WRONG_ARITY);
    assertThat(e.partition()).isEqualTo(2);
    assertThat(e.position()).isEqualTo(1_234);
    assertThat(e.envelope().id()).isEqualTo(Foreign.ID);
    assertThat(e.envelope().client()).isEqualTo("c");
    assertThat(e.envelope().position()).isEqualTo(1_234);
  }

  @Test
  void aReaderPassesItByMovingBehindIt() {
    try (MemoryBackend backend = MemoryBackend.open();
        MessageQueue queue = backend.open("orders.in", 2);
        Appender appender = queue.appender();
        Reader<Typed> all = PROTOCOL.reader(queue, recorder.target())) {
      appender.append(1, ByteBuffer.wrap(message("any")));
      appender.append(1, ByteBuffer.wrap(message("text", "after")));
      UndecodableMessage e = catchThrowableOfType(UndecodableMessage.class, () -> all.poll(10));
      all.seek(e.partition(), e.position() + 1);
      assertThat(all.poll(10)).isEqualTo(1);
      assertThat(recorder.last().arguments()).containsExactly("after");
    }
  }

  @Test
  void noCallIsMadeWhenALaterOneCannotBeDecoded() {
    UndecodableMessage e =
        read(envelope(null).Add("any").Add(array(1)).Add("none").Add(array()).EncodeToBytes());
    assertThat(e.reason()).isEqualTo(UNKNOWN_METHOD);
    assertThat(e)
        .hasMessageContaining("method 'none' is not one of any, floating, point, points, small");
  }

  static Stream<Arguments> wrongEnvelopes() {
    byte[] id = bytes(Foreign.ID);
    long time = Foreign.MICROS;
    return Stream.of(
        Arguments.of(MALFORMED, new byte[0], "ends too early"),
        Arguments.of(MALFORMED, hex("00"), "not an array"),
        Arguments.of(MALFORMED, array(0, id, time).EncodeToBytes(), "array of 3 items"),
        Arguments.of(MALFORMED, array(0, id, time, null, "any").EncodeToBytes(), "of 5 items"),
        Arguments.of(MALFORMED, hex("9f00ff"), "indefinite length"),
        Arguments.of(MALFORMED, hex("9bffffffffffffffff"), "more elements"),
        Arguments.of(MALFORMED, hex("9a00010000"), "more elements"),
        Arguments.of(
            UNKNOWN_VERSION, array(1, id, time, null).EncodeToBytes(), "version 1 (known: 0)"),
        Arguments.of(UNKNOWN_VERSION, array(1, "other", 0, 0).EncodeToBytes(), "version 1"),
        Arguments.of(MALFORMED, array(-1, id, time, null).EncodeToBytes(), "version is an integer"),
        Arguments.of(MALFORMED, array("0", id, time, null).EncodeToBytes(), "version is text"),
        Arguments.of(
            MALFORMED, array(0, new byte[15], time, null).EncodeToBytes(), "id has 15 bytes"),
        Arguments.of(MALFORMED, array(0, "x", time, null).EncodeToBytes(), "id is text"),
        Arguments.of(MALFORMED, array(0, id, -1, null).EncodeToBytes(), "time is an integer"),
        Arguments.of(
            MALFORMED,
            array(0, id, BigInteger.ONE.shiftLeft(63), null).EncodeToBytes(),
            "time is beyond"),
        Arguments.of(MALFORMED, envelope(array()).EncodeToBytes(), "map of headers is a list"),
        Arguments.of(
            MALFORMED, envelope(map("client", 1)).EncodeToBytes(), "header client is an integer"),
        Arguments.of(MALFORMED, envelope(map("key", null)).EncodeToBytes(), "header key is null"),
        Arguments.of(
            MALFORMED,
            envelope(map("key", "k".repeat(256))).EncodeToBytes(),
            "header key has 256 bytes (limit=255)"),
        Arguments.of(
            MALFORMED,
            envelope(map("replayOf", new byte[17])).EncodeToBytes(),
            "replayOf has 17 bytes"),
        Arguments.of(
            MALFORMED, envelope(map("source", -1)).EncodeToBytes(), "header source is an integer"),
        Arguments.of(
            MALFORMED, envelope(map("source", 1.0)).EncodeToBytes(), "source is a floating"),
        Arguments.of(
            MALFORMED, envelope(map(1, 1)).EncodeToBytes(), "name of a header is an integer"),
        Arguments.of(MALFORMED, headers("a1 61 ff 01"), "not UTF-8"),
        Arguments.of(MALFORMED, headers("a1 61 78 61 ff"), "not UTF-8"),
        Arguments.of(MALFORMED, headers("a1 61 78 9f ff"), "indefinite"),
        Arguments.of(MALFORMED, headers("a1 61 78" + "81".repeat(40) + "f8"), "ends too early"),
        Arguments.of(MALFORMED, manyHeaders(17), "17 headers (limit=16)"));
  }

  @ParameterizedTest
  @CsvSource({
    "source, 00",
    "client, 61 63",
    "key, 61 6b",
    "sourceClient, 61 63",
    "sourceKey, 61 6b",
    "replayOf, 50 00000000000000000000000000000000",
    "deliverBy, 01",
    "failure, 82 61 65 61 74",
    "declined, f5",
    "declined, f4",
    "result, 00",
    "history, 00",
    "another, 00"
  })
  void aHeaderThatAppearsTwiceIsRefused(String name, String value) {
    String header = HexFormat.of().formatHex(CBORObject.FromObject(name).EncodeToBytes()) + value;
    assertThat(reader.read(0, 0, ByteBuffer.wrap(headers("a1" + header))).source()).isNotNull();
    UndecodableMessage e = read(headers("a2" + header + header));
    assertThat(e.reason()).isEqualTo(MALFORMED);
    assertThat(e).hasMessageContaining("a header appears twice");
  }

  private static byte[] headers(String hex) {
    byte[] envelope = array(0, bytes(Foreign.ID), Foreign.MICROS, null).EncodeToBytes();
    return join(Arrays.copyOf(envelope, envelope.length - 1), hex(hex));
  }

  private static byte[] manyHeaders(int count) {
    CBORObject headers = CBORObject.NewMap();
    for (int i = 0; i < count; i++) {
      headers.Add("h" + i, i);
    }
    return envelope(headers).EncodeToBytes();
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  @ParameterizedTest
  @MethodSource("wrongEnvelopes")
  void aWrongEnvelopeIsRefusedByReaderAndPeek(
      UndecodableReason reason, byte[] message, String expected) {
    UndecodableMessage e = read(message);
    assertThat(e.reason()).isEqualTo(reason);
    assertThat(e).hasMessageContaining(expected);
    assertThat(e.envelope()).isNull();
    assertThatThrownBy(() -> Message.peek("orders.in", 2, 1_234, ByteBuffer.wrap(message)))
        .isInstanceOf(UndecodableMessage.class)
        .hasMessage(e.getMessage());
  }

  @Test
  void unknownHeadersAreIgnored() {
    byte[] message =
        envelope(
                map(
                    "trace", map("a", array(1, tagged(99, "x"), -3.5)),
                    "source", 17,
                    "other", bytes(Foreign.ID)))
            .Add("any")
            .Add(array("x"))
            .EncodeToBytes();
    assertThat(reader.read(0, 0, ByteBuffer.wrap(message)).source()).hasValue(17);
    assertThat(Message.peek("in", 0, 0, ByteBuffer.wrap(message)).source()).hasValue(17);
    assertThat(recorder.last().arguments()).containsExactly("x");
  }

  static Stream<Arguments> wrongCalls() {
    return Stream.of(
        Arguments.of(
            WRONG_TYPE,
            envelope(null).Add(1).Add(array()).EncodeToBytes(),
            "expected the name of a method, found an integer"),
        Arguments.of(UNKNOWN_METHOD, message("Any", 1), "method 'Any' is not one of any,"),
        Arguments.of(
            UNKNOWN_METHOD,
            message("a\n\u0007" + "b".repeat(100), 1),
            "method 'a??" + "b".repeat(61) + "…' is not"),
        Arguments.of(WRONG_ARITY, message("any"), "any, 0 arguments instead of 1"),
        Arguments.of(
            WRONG_TYPE,
            envelope(null).Add("any").Add(1).EncodeToBytes(),
            "expected the list of arguments, found an integer"),
        Arguments.of(
            WRONG_TYPE, message("small", 128), "parameter 1: expected an integer from -128 to 127"),
        Arguments.of(
            WRONG_TYPE,
            message("small", -129),
            "parameter 1: expected an integer from -128 to 127"),
        Arguments.of(
            WRONG_TYPE,
            message("small", new Object[] {null}),
            "parameter 1: expected byte, found null"),
        Arguments.of(WRONG_TYPE, message("small", "1"), "expected an integer, found text"),
        Arguments.of(WRONG_TYPE, message("floating", 0.1), "does not fit"),
        Arguments.of(
            WRONG_TYPE,
            message("floating", 1),
            "expected a floating-point number, found an integer"),
        Arguments.of(WRONG_TYPE, message("text", 1), "expected text, found an integer"),
        Arguments.of(WRONG_TYPE, message("any", BigInteger.ONE.shiftLeft(63)), "an integer from"),
        Arguments.of(WRONG_TYPE, message("any", BigInteger.ONE.shiftLeft(70)), "found tag 2"),
        Arguments.of(
            WRONG_TYPE, message("any", map("x", 1)), "a map that is not a registered record"),
        Arguments.of(WRONG_TYPE, message("any", CBORObject.Undefined), "found simple value 23"),
        Arguments.of(WRONG_TYPE, message("any", tagged(1, 5)), "found tag 1"),
        Arguments.of(
            WRONG_TYPE,
            message("any", array(1, array(2, tagged(1, 5)))),
            "parameter 1, element 2, element 2: expected"),
        Arguments.of(
            MALFORMED,
            message("state", "SLEEPING"),
            "State has no constant of that name (known: NEW,"),
        Arguments.of(
            UNKNOWN_ALIAS,
            message("type", tagged(39, "java.lang.Runtime")),
            "alias 'java.lang.Runtime' is not registered (known: "),
        Arguments.of(UNKNOWN_ALIAS, message("any", tagged(39, "nope")), "alias 'nope'"),
        Arguments.of(
            UNKNOWN_ALIAS, message("any", tagged(27, array("nope", map()))), "alias 'nope'"),
        Arguments.of(
            WRONG_TYPE,
            message("any", tagged(27, array("map", map()))),
            "expected the alias of a record, found 'map'"),
        Arguments.of(
            MALFORMED, message("any", tagged(27, array("point"))), "a record that is not a pair"),
        Arguments.of(
            WRONG_TYPE, message("type", "point"), "expected the alias of a class, found text"),
        Arguments.of(
            MALFORMED, message("point", map("x", 1)), "Point has 2 components, the map has 1"),
        Arguments.of(MALFORMED, message("point", map("x", 1, "y", 2, "z", 3)), "the map has 3"),
        Arguments.of(
            MALFORMED, message("point", map("x", 1, "z", 3)), "Point has no component 'z'"),
        Arguments.of(MALFORMED, call("point", "a2 61 78 01 61 78 02"), "Point.x appears twice"),
        Arguments.of(
            WRONG_TYPE,
            message("point", map("x", null, "y", 1)),
            "Point.x: expected int, found null"),
        Arguments.of(
            WRONG_TYPE,
            message("point", map("y", 1, "x", "one")),
            "parameter 1, Point.x: expected an integer, found text"),
        Arguments.of(
            WRONG_TYPE,
            message("points", array(map("x", 1, "y", 1), 5)),
            "parameter 1, element 2: expected a record, found an integer"),
        Arguments.of(
            MALFORMED,
            message("point", map("x", -1, "y", 1)),
            "the constructor of Point refused the values (java.lang.IllegalArgumentException)"),
        Arguments.of(
            MALFORMED, message("any", tagged(1004, "2025-02-30")), "not a date in ISO 8601"),
        Arguments.of(
            MALFORMED, message("any", tagged(1004, "x".repeat(65))), "65 bytes (limit=64)"),
        Arguments.of(
            WRONG_TYPE, message("any", tagged(1004, 20_000)), "expected a date, found an integer"),
        Arguments.of(
            MALFORMED,
            message("any", tagged(0, "2025-01-01T00:00:00")),
            "not a date and time with offset"),
        Arguments.of(MALFORMED, message("any", tagged(64_257, "24:00:01")), "not a local time"),
        Arguments.of(
            MALFORMED, message("any", tagged(64_258, "2025-01-01")), "not a local date and time"),
        Arguments.of(
            MALFORMED, message("any", tagged(37, new byte[15])), "UUID that is not of 16 bytes"),
        Arguments.of(WRONG_TYPE, message("any", tagged(262, "{}")), "expected JSON, found text"),
        Arguments.of(MALFORMED, message("any", tagged(262, new byte[] {-1})), "not UTF-8"),
        Arguments.of(MALFORMED, call("any", "c4 82 1a 7fffffff 01"), "exponent beyond ±16,383"),
        Arguments.of(MALFORMED, call("any", "c4 82 39 3fff 01"), "exponent beyond"),
        Arguments.of(WRONG_TYPE, call("any", "c4 82 3b 8000000000000000 01"), "one beyond that"),
        Arguments.of(MALFORMED, call("any", "c4 83 00 01 02"), "not a pair"),
        Arguments.of(WRONG_TYPE, call("any", "c4 82 00 61 31"), "expected an integer, found text"),
        Arguments.of(WRONG_TYPE, call("any", "c4 82 00 c1 01"), "found tag 1"),
        Arguments.of(
            MALFORMED,
            call("any", "c4 82 00 c2 59 1001" + "01".repeat(4_097)),
            "4,097 bytes (limit=4,096)"),
        Arguments.of(MALFORMED, call("any", "62 c3 28"), "not UTF-8"),
        Arguments.of(MALFORMED, call("any", "62 c0 80"), "not UTF-8"),
        Arguments.of(MALFORMED, call("any", "63 ed a0 80"), "not UTF-8"),
        Arguments.of(MALFORMED, call("any", "64 f5 80 80 80"), "not UTF-8"),
        Arguments.of(MALFORMED, call("text", "64 ef bf bd 80"), "not UTF-8"),
        Arguments.of(MALFORMED, call("any", "7f 61 61 ff"), "indefinite length"),
        Arguments.of(MALFORMED, call("any", "9f ff"), "indefinite length"),
        Arguments.of(MALFORMED, call("any", "ff"), "indefinite length"),
        Arguments.of(MALFORMED, call("any", "1c"), "reserved initial byte"),
        Arguments.of(MALFORMED, call("any", "7b 7fffffffffffffff"), "longer than the message"),
        Arguments.of(MALFORMED, call("any", "5b ffffffffffffffff"), "longer than the message"),
        Arguments.of(MALFORMED, call("any", "9a 000fffff 00"), "more elements"),
        Arguments.of(MALFORMED, call("any", "19 01"), "ends too early"),
        Arguments.of(MALFORMED, call("any", "81".repeat(33) + "00"), "nested deeper than 32"),
        Arguments.of(
            MALFORMED, join(message("any", 1), new byte[3]), "3 extra bytes after the last call"),
        Arguments.of(
            MALFORMED,
            message("any", new byte[1 << 20]),
            "bytes are more than the 1,048,576 that a message may have"));
  }

  /** A call whose only argument is given as bytes. */
  private static byte[] call(String method, String argument) {
    byte[] message = message(method, 0);
    return join(Arrays.copyOf(message, message.length - 1), hex(argument));
  }

  @ParameterizedTest
  @MethodSource("wrongCalls")
  void aWrongCallIsRefusedWithItsReasonAndTheEnvelope(
      UndecodableReason reason, byte[] message, String expected) {
    UndecodableMessage e = read(message);
    assertThat(e).hasMessageContaining(expected);
    assertThat(e.reason()).isEqualTo(reason);
    assertThat(e.envelope().id()).isEqualTo(Foreign.ID);
  }

  @Test
  void aMessageThatCannotBeReadDoesNotAffectTheNextOne() {
    read(call("any", "81".repeat(33) + "00"));
    reader.read(0, 0, ByteBuffer.wrap(call("any", "81".repeat(32) + "00")));
    assertThat(recorder.calls()).hasSize(1);
  }

  @Test
  void theCauseIsTheConstructorsException() {
    assertThat(read(message("point", map("x", -1, "y", 1)))).cause().hasMessage("negative");
  }

  @Test
  void messagesAtTheLimitsAreRead() {
    byte[] largest = message("any", new byte[(1 << 20) - 39]);
    assertThat(largest).hasSize(1 << 20);
    List.of(
            call("any", "81".repeat(32) + "00"),
            call("any", "c4 82 19 3fff 01"),
            call("any", "c4 82 39 3ffe 01"),
            call("any", "c4 82 00 c2 59 1000" + "01".repeat(4_096)),
            call("any", "c4 82 00 3b ffffffffffffffff"),
            call("any", "1b 7fffffffffffffff"),
            call("any", "3b 7fffffffffffffff"),
            call("any", "1b 0000000000000001"),
            call("any", "f9 7e00"),
            call("floating", "fb 3ff8000000000000"),
            call("any", "63 ef bf bd"),
            largest,
            envelope(map("key", "k".repeat(255))).EncodeToBytes(),
            manyHeaders(16))
        .forEach(m -> reader.read(0, 0, ByteBuffer.wrap(m)));
    assertThat(recorder.calls()).hasSize(12);
  }
}
