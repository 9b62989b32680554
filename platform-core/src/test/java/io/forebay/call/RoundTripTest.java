/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.call.value.Aliases;
import io.forebay.call.value.Json;
import io.forebay.call.value.Values;
import io.forebay.queue.MessageQueue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.LinkedList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RoundTripTest extends MemoryQueueTest {

  record Point(int x, Integer y, String name) {}

  record Tree(Object value, List<Tree> children) {}

  record Every(
      boolean a,
      byte b,
      short c,
      int d,
      long e,
      float f,
      double g,
      BigDecimal h,
      String i,
      byte[] j,
      LocalDate k,
      LocalTime l,
      LocalDateTime m,
      OffsetDateTime n,
      Instant o,
      UUID p,
      Json q,
      Class<?> r,
      Object s,
      List<Long> t,
      String[] u,
      Results.Failure.Kind v,
      Point w) {}

  record Before(int x, String name) {}

  record After(int x, String name, @Values.LeftOutIfNull Point added) {}

  record Unnamed(int x, Point added) {}

  interface WithoutName {
    void add(Unnamed unnamed);
  }

  interface SinceBefore {
    void add(Before before);
  }

  interface SinceAfter {
    void add(After after);
  }

  interface Everything {
    void primitives(boolean a, byte b, short c, int d, long e, float f, double g);

    void boxes(Boolean a, Byte b, Short c, Integer d, Long e, Float f, Double g);

    void records(Every every, Tree tree, List<Point> points);
  }

  interface Numbers {
    void add(short[] a, int[] b, long[][] c, float[] d, double[] e, boolean[] f);
  }

  private static final Aliases ALIASES =
      Aliases.none().with("point", Point.class).with("tree", Tree.class).with("row", List.class);

  private MessageQueue queue;

  @BeforeEach
  void openQueue() {
    queue = open("statements", 1);
  }

  @Test
  void aComponentThatWasAddedLaterMayBeMissing() {
    Recorder<SinceAfter> after = new Recorder<>(SinceAfter.class);
    Recorder<SinceBefore> before = new Recorder<>(SinceBefore.class);
    Point point = new Point(1, null, "a");
    add(new After(1, null, null));
    try (Writer<SinceBefore> old = Protocol.of(SinceBefore.class).writer(queue)) {
      old.calls().add(new Before(2, "old"));
    }
    readAll(queue, 0, Protocol.of(SinceBefore.class).reader("statements", before.target()));
    add(new After(3, "new", point));
    readAll(queue, 0, Protocol.of(SinceAfter.class).reader("statements", after.target()));
    assertThat(before.calls())
        .extracting(call -> call.arguments().getFirst())
        .containsExactly(new Before(1, null), new Before(2, "old"));
    assertThat(after.calls())
        .extracting(call -> call.arguments().getFirst())
        .containsExactly(
            new After(1, null, null), new After(2, "old", null), new After(3, "new", point));
  }

  @Test
  void anyOtherComponentIsRequired() {
    try (Writer<WithoutName> writer = Protocol.of(WithoutName.class).writer(queue)) {
      writer.calls().add(new Unnamed(1, new Point(1, null, "a")));
    }
    Recorder<SinceAfter> after = new Recorder<>(SinceAfter.class);
    assertThatThrownBy(() ->
            readAll(queue, 0, Protocol.of(SinceAfter.class).reader("statements", after.target())))
        .isInstanceOf(UndecodableMessage.class)
        .hasMessageContaining("After.name is missing");
  }

  private void add(After after) {
    try (Writer<SinceAfter> writer = Protocol.of(SinceAfter.class).writer(queue)) {
      writer.calls().add(after);
    }
  }

  static Stream<Arguments> valuesOfUndeclaredType() {
    return Stream.of(
        same(null),
        same(true),
        same(false),
        Arguments.of((byte) -5, -5L),
        Arguments.of((short) 300, 300L),
        Arguments.of(70_000, 70_000L),
        same(0L),
        same(23L),
        same(24L),
        same(-24L),
        same(-25L),
        same(255L),
        same(256L),
        same(65_535L),
        same(65_536L),
        same(4_294_967_295L),
        same(4_294_967_296L),
        same(Long.MAX_VALUE),
        same(Long.MIN_VALUE),
        same(1.5f),
        same(Float.NaN),
        same(0.1),
        same(-0.0),
        same(Double.NEGATIVE_INFINITY),
        same(Double.NaN),
        same(new BigDecimal("0")),
        same(new BigDecimal("-1.50")),
        same(new BigDecimal("1E+16383")),
        same(new BigDecimal("1E-16383")),
        same(new BigDecimal(BigInteger.ONE.shiftLeft(63))),
        same(new BigDecimal(BigInteger.ONE.shiftLeft(64).negate(), 3)),
        same(new BigDecimal("-123456789012345678901234567890.123456789")),
        same(""),
        same("plain"),
        same("x".repeat(70_000)),
        same("höhe"),
        same("日本語 and 🚀"),
        same("\u0000"),
        same(new byte[0]),
        same(new byte[] {0, -1, 127}),
        same(LocalDate.of(2024, 2, 29)),
        same(LocalDate.of(0, 1, 1)),
        same(LocalDate.MAX),
        same(LocalDate.MIN),
        same(LocalTime.MIDNIGHT),
        same(LocalTime.of(23, 59, 59, 120_000_000)),
        same(LocalTime.of(1, 2, 3, 4)),
        same(LocalDateTime.of(2024, 2, 29, 12, 0, 0, 123_456_000)),
        same(OffsetDateTime.parse("2024-02-29T12:00:00+05:30")),
        same(OffsetDateTime.parse("2024-02-29T12:00:01.5-08:00:07")),
        same(OffsetDateTime.MAX),
        Arguments.of(
            Instant.parse("2024-02-29T12:00:00.000001Z"),
            OffsetDateTime.parse("2024-02-29T12:00:00.000001Z")),
        same(new UUID(Long.MIN_VALUE, -2)),
        same(new Json("{\"ä\": [1, 2]}")),
        same(List.of()),
        same(List.of(1L, "two", List.of(3.0))),
        Arguments.of(new Object[] {1, "two"}, List.of(1L, "two")),
        Arguments.of(new String[] {"one", null}, Arrays.asList("one", null)),
        Arguments.of(new LinkedList<>(List.of(1, 2)), List.of(1L, 2L)),
        same(new Point(1, null, "origin")),
        same(new Tree("root", List.of(new Tree(1L, null), new Tree(List.of(), List.of())))),
        same(Point.class),
        same(List.class));
  }

  private static Arguments same(Object value) {
    return Arguments.of(value, value);
  }

  @ParameterizedTest
  @MethodSource("valuesOfUndeclaredType")
  void aValueOfUndeclaredTypeArrivesAsTheFormatSays(Object sent, Object expected) {
    Protocol<Statements> protocol = Protocol.of(Statements.class, ALIASES);
    Recorder<Statements> recorder = new Recorder<>(Statements.class);
    try (Writer<Statements> writer = protocol.writer(queue)) {
      writer.calls().executeUpdate("insert", sent, 7);
    }
    readAll(queue, 0, protocol.reader("statements", recorder.target()));

    assertThat(recorder.last().method()).isEqualTo("executeUpdate");
    assertThat(recorder.last().arguments().getFirst()).isEqualTo("insert");
    assertThat(recorder.last().varargs()).hasSize(2);
    Object received = recorder.last().varargs().get(0);
    assertThat(received).isEqualTo(expected);
    if (expected != null && !(expected instanceof List<?>)) {
      assertThat(received).hasSameClassAs(expected);
    }
  }

  @Test
  void arraysOfPrimitivesArriveAsDeclared() {
    Protocol<Numbers> protocol = Protocol.of(Numbers.class);
    Recorder<Numbers> recorder = new Recorder<>(Numbers.class);
    Object[] sent = {
      new short[] {-1},
      new int[0],
      new long[][] {{1, Long.MIN_VALUE}, null, {}},
      new float[] {1.5f},
      new double[] {0.1, Double.NaN},
      new boolean[] {true, false}
    };
    try (Writer<Numbers> writer = protocol.writer(queue)) {
      writer
          .calls()
          .add(
              (short[]) sent[0],
              (int[]) sent[1],
              (long[][]) sent[2],
              (float[]) sent[3],
              (double[]) sent[4],
              (boolean[]) sent[5]);
    }
    readAll(queue, 0, protocol.reader("statements", recorder.target()));
    Object[] received = recorder.last().arguments().toArray();
    received[2] = ((List<?>) received[2]).toArray(); // the recorder makes a list of it
    assertThat(Arrays.deepToString(received)).isEqualTo(Arrays.deepToString(sent));
  }

  @Test
  void declaredTypesArriveAsDeclared() {
    Protocol<Everything> protocol = Protocol.of(Everything.class, ALIASES);
    Recorder<Everything> recorder = new Recorder<>(Everything.class);
    Every every =
        new Every(
            true,
            (byte) 1,
            (short) -2,
            3,
            -4L,
            5.5f,
            6.25,
            new BigDecimal("7.0"),
            "eight",
            new byte[] {9},
            LocalDate.of(2025, 1, 10),
            LocalTime.of(11, 0),
            LocalDateTime.of(2025, 1, 12, 0, 0),
            OffsetDateTime.parse("2025-01-13T00:00:00+01:00"),
            Instant.parse("2025-01-14T00:00:00Z"),
            new UUID(15, 16),
            new Json("17"),
            Point.class,
            18L,
            Arrays.asList(19L, null),
            new String[] {"20", null},
            Results.Failure.Kind.OUTAGE,
            new Point(21, 22, null));
    Tree tree = new Tree(null, List.of(new Tree(1.5, List.of())));
    try (Writer<Everything> writer = protocol.writer(queue)) {
      writer
          .calls()
          .primitives(true, Byte.MIN_VALUE, Short.MAX_VALUE, Integer.MIN_VALUE, -1L, 0.1f, 0.1);
      writer.calls().boxes(false, (byte) 1, (short) 2, 3, 4L, 5f, 6.0);
      writer.calls().boxes(null, null, null, null, null, null, null);
      writer.calls().records(every, tree, List.of(new Point(1, 2, "p")));
      writer.calls().records(null, null, null);
    }
    readAll(queue, 0, protocol.reader("statements", recorder.target()));

    assertThat(recorder.calls())
        .extracting(Recorder.Call::arguments)
        .usingRecursiveComparison()
        .isEqualTo(
            List.of(
                List.of(true, Byte.MIN_VALUE, Short.MAX_VALUE, Integer.MIN_VALUE, -1L, 0.1f, 0.1),
                List.of(false, (byte) 1, (short) 2, 3, 4L, 5f, 6.0),
                Arrays.asList(null, null, null, null, null, null, null),
                List.of(every, tree, List.of(new Point(1, 2, "p"))),
                Arrays.asList(null, null, null)));
  }

  @Test
  void aDefaultMethodMakesTheCallsOfItsBody() {
    Protocol<Statements> protocol = Protocol.of(Statements.class);
    Recorder<Statements> recorder = new Recorder<>(Statements.class);
    try (Writer<Statements> writer = protocol.writer(queue)) {
      writer.calls().executeAll("insert", 1, 2, 3);
      assertThat(writer.lastTicket()).isEqualTo(3);
    }
    readAll(queue, 0, protocol.reader("statements", recorder.target()));

    assertThat(recorder.calls())
        .extracting(Recorder.Call::varargs)
        .isEqualTo(List.of(List.of(1L), List.of(2L), List.of(3L)));
  }
}
