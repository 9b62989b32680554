/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.call.value.Aliases;
import io.forebay.call.value.Json;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Partitioner;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.time.AppendClock;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WriterTest extends MemoryQueueTest {

  record Unregistered(int a) {}

  private static final Protocol<Statements> PROTOCOL =
      Protocol.of(Statements.class, Aliases.none().with("row", Map.class));

  private final TestQueue test = new TestQueue();

  @Test
  void theWriterReportsTicketIdAndPositionOfTheLastCall() throws Exception {
    MessageQueue queue = open("in", 3);
    try (Writer<Statements> writer = PROTOCOL.writer(queue)) {
      assertThat(writer.lastTicket()).isZero();
      assertThat(writer.lastPartition()).isEqualTo(-1);
      for (int i = 1; i <= 20; i++) {
        writer.calls().executeUpdate("insert", i);
        writer.await(Duration.ofSeconds(120));
        assertThat(writer.lastTicket()).isEqualTo(i);
        int partition = writer.lastPartition();
        assertThat(partition).isEqualTo(Partitioner.partition(writer.lastId(), 3));
        assertThat(new UUID(writer.lastIdHigh(), writer.lastIdLow())).isEqualTo(writer.lastId());
        long position = writer.lastPosition();
        List<byte[]> messages = messages(queue, partition);
        assertThat(position).isEqualTo(messages.size() - 1L);
      }
    }
    assertThat(Stream.of(0, 1, 2).map(p -> messages(queue, p).size())).doesNotContain(0);
  }

  @Test
  void aKeyGivenAtCreationFixesThePartition() {
    int expected = Partitioner.partition("customer-7", 16);
    MessageQueue queue = open("in", 16);
    try (Writer<Statements> writer = PROTOCOL.writer(queue, "customer-7")) {
      for (int i = 0; i < 20; i++) {
        writer.calls().executeUpdate("insert");
        assertThat(writer.lastPartition()).isEqualTo(expected);
      }
      writer.keyed("client", "key").calls().executeUpdate("insert");
      assertThat(writer.lastPartition()).isEqualTo(expected);
    }
  }

  @Test
  void aPartitionKeyAppliesToOneCallAndOverridesTheWriters() {
    int expected = Partitioner.partition("customer-7", 16);
    int other = Partitioner.partition("customer-8", 16);
    assertThat(other).isNotEqualTo(expected);
    MessageQueue queue = open("in", 16);
    try (Writer<Statements> writer = PROTOCOL.writer(queue, "customer-8")) {
      writer.partitionedBy("customer-7").calls().executeUpdate("insert");
      assertThat(writer.lastPartition()).isEqualTo(expected);
      writer.calls().executeUpdate("insert");
      assertThat(writer.lastPartition()).isEqualTo(other);
      writer.keyed("client", "key").partitionedBy("customer-7").calls().executeUpdate("insert");
      assertThat(writer.lastPartition()).isEqualTo(expected);
      assertThat(writer.lastId()).isEqualTo(Message.keyedId("client", "key"));
    }
  }

  @Test
  void theIdOfAMessageIsAVersion7OfItsAppendTime() {
    Instant time = Instant.parse("2025-06-01T12:00:00.123456Z");
    AppendClock clock = new AppendClock(() -> time, () -> 0);
    try (Writer<Statements> writer =
        new Writer<>(PROTOCOL, test.queue(), Writer.PARTITION_BY_ID, null, null, clock)) {
      writer.calls().executeUpdate("insert");
      UUID id = writer.lastId();
      assertThat(id.version()).isEqualTo(7);
      assertThat(id.variant()).isEqualTo(2);
      assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(time.toEpochMilli());
      assertThat(test.last().id()).isEqualTo(id);
      assertThat(test.last().appendTime()).isEqualTo(time);
      assertThat(test.last().appendMicros()).isEqualTo(1_748_779_200_123_456L);
      assertThat(test.last().client()).isNull();
      assertThat(test.last().source()).isEmpty();
    }
  }

  @Test
  void aForwardedMessageIsAsItWasWrittenButForItsTime() {
    Instant time = Instant.parse("2025-06-01T12:00:00.123456Z");
    AppendClock clock = new AppendClock(() -> time, () -> 0);
    MessageQueue first = open("first", 1);
    try (Writer<Statements> writer = PROTOCOL.writer(test.queue(), first.appender());
        Writer<Statements> forwarding =
            new Writer<>(PROTOCOL, test.queue(), Writer.PARTITION_BY_ID, null, null, clock)) {
      writer.keyed("shop", "order 7").calls().executeUpdate("insert");
      forwarding.forward(0, messages(first, 0).getFirst());
    }
    assertThat(test.last().appendTime()).isEqualTo(time);
    assertThat(test.last().id()).isEqualTo(Message.keyedId("shop", "order 7"));
    assertThat(test.last().client()).isEqualTo("shop");
    assertThat(test.last().key()).isEqualTo("order 7");
  }

  /** It would never be closed. */
  @Test
  void aRefusedPartitionLeavesNoAppenderOpen() {
    MessageQueue queue = open("in", 1);
    List<String> called = new ArrayList<>();
    MessageQueue watched =
        (MessageQueue)
            Proxy.newProxyInstance(
                MessageQueue.class.getClassLoader(),
                new Class<?>[] {MessageQueue.class},
                (_, method, arguments) -> {
                  called.add(method.getName());
                  return method.invoke(queue, arguments);
                });
    assertThatThrownBy(() -> PROTOCOL.writer(watched, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has no partition 1");
    assertThat(called).contains("partitions").doesNotContain("appender");
  }

  @Test
  void onlyTheKeyedCallHasTheIdOfItsKey() {
    try (Writer<Statements> writer = PROTOCOL.writer(test.queue())) {
      writer.keyed("shop", "order 7").calls().executeUpdate("insert");
      UUID keyed = writer.lastId();
      assertThat(keyed).isEqualTo(Message.keyedId("shop", "order 7"));
      assertThat(keyed.version()).isEqualTo(8);
      assertThat(keyed.variant()).isEqualTo(2);
      assertThat(test.last().client()).isEqualTo("shop");
      assertThat(test.last().key()).isEqualTo("order 7");
      assertThat(test.last().id()).isEqualTo(keyed);

      writer.calls().executeUpdate("insert");
      assertThat(writer.lastId().version()).isEqualTo(7);
      assertThat(test.last().client()).isNull();
      assertThat(test.last().key()).isNull();
    }
  }

  @Test
  void aKeyIsNotReusedForAnotherCallWhenItsOwnIsRefused() {
    try (Writer<Statements> writer = PROTOCOL.writer(test.queue())) {
      writer.keyed("shop", "order 7").replay(new UUID(1, 2));
      assertThatThrownBy(() -> writer.calls().executeUpdate("insert", new Date()))
          .isInstanceOf(IllegalArgumentException.class);
      writer.calls().executeUpdate("insert");
      assertThat(writer.lastId().version()).isEqualTo(7);
      assertThat(test.last().key()).isNull();
      assertThat(test.last().replayOf()).isNull();

      writer.keyed("shop", "order 7");
      test.refusing = true;
      assertThatThrownBy(() -> writer.calls().executeUpdate("insert"))
          .isInstanceOf(QueueRefused.class);
      test.refusing = false;
      writer.calls().executeUpdate("insert");
      assertThat(writer.lastId().version()).isEqualTo(7);
      assertThat(test.last().key()).isNull();
    }
  }

  @Test
  void aKeyIsNotReusedForAnotherCallWhenAnotherOptionIsRefused() {
    try (Writer<Statements> writer = PROTOCOL.writer(test.queue())) {
      for (Consumer<Writer<Statements>> refused :
          List.<Consumer<Writer<Statements>>>of(
              it -> it.partitionedBy(null), it -> it.deliverBy(null), it -> it.keyed("shop", ""))) {
        writer.keyed("shop", "order 7");
        assertThatThrownBy(() -> refused.accept(writer)).isInstanceOf(RuntimeException.class);
        writer.calls().executeUpdate("insert");
        assertThat(writer.lastId().version()).isEqualTo(7);
        assertThat(test.last().key()).isNull();
      }
    }
  }

  @Test
  void onlyEqualClientsAndKeysGiveEqualIds() {
    assertThat(Message.keyedId("shop", "order 7"))
        .isEqualTo(UUID.fromString("a0b8efb4-3b00-8032-8cb9-cda722472a47"));
    assertThat(Message.keyedId("a", "bc")).isNotEqualTo(Message.keyedId("ab", "c"));
    assertThat(Message.keyedId("a", "b")).isNotEqualTo(Message.keyedId("b", "a"));
    assertThatThrownBy(() -> Message.keyedId("", "b")).hasMessageContaining("client has 0 bytes");
    assertThatThrownBy(() -> Message.keyedId("a", "ä".repeat(128)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("idempotency key has 256 bytes")
        .hasMessageNotContaining("ä");
    assertThatThrownBy(() -> Message.keyedId("a", "\udc00")).hasMessageContaining("surrogate");
  }

  @Test
  void aClientOrKeyWithAControlCharacterIsRefused() {
    Message.checkKey(" ~", "\u00a0".repeat(127) + "x");
    for (String control : List.of("\u001f", "\u007f", "\u009f")) {
      assertThatThrownBy(() -> Message.checkKey("a" + control, "b"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("the client holds a control character; none is allowed");
      assertThatThrownBy(() -> Message.checkKey("a", control + "b"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("the idempotency key holds a control character; none is allowed");
    }
  }

  @Test
  void aReplayNamesTheMessageItRepeats() {
    UUID first = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");
    try (Writer<Statements> writer = PROTOCOL.writer(test.queue())) {
      writer.replay(first).calls().executeUpdate("insert");
      assertThat(test.last().replayOf()).isEqualTo(first);
      assertThat(test.last().id()).isNotEqualTo(first);
      writer.keyed("c", "k").replay(first).calls().executeUpdate("insert");
      assertThat(test.last().replayOf()).isEqualTo(first);
      assertThat(test.last().key()).isEqualTo("k");
      writer.calls().executeUpdate("insert");
      assertThat(test.last().replayOf()).isNull();
    }
  }

  @Test
  void onlyTheNextCallHasATimeByWhichItIsPerformed() {
    Instant time = Instant.parse("2026-03-01T13:30:00.123456789Z");
    Instant micros = Instant.parse("2026-03-01T13:30:00.123456Z");
    long number = ChronoUnit.MICROS.between(Instant.EPOCH, micros);
    try (Writer<Statements> writer = PROTOCOL.writer(test.queue())) {
      writer.keyed("c", "k").deliverBy(time).calls().executeUpdate("insert");
      Message message = test.last();
      assertThat(message.key()).isEqualTo("k");
      assertThat(message.deliverBy()).isEqualTo(micros);
      assertThat(message.isExpired(number)).isFalse();
      assertThat(message.isExpired(number + 1)).isTrue();

      writer.repeat(ByteBuffer.wrap(test.appended.getLast().bytes()));
      assertThat(test.last().deliverBy()).as("of a replay").isNull();
      writer.calls().executeUpdate("insert");
      assertThat(test.last().deliverBy()).isNull();
      assertThat(test.last().isExpired(Long.MAX_VALUE)).isFalse();
    }
  }

  @Test
  void aReplayOfAReplayNamesTheFirstMessage() {
    try (Writer<Statements> writer = PROTOCOL.writer(test.queue())) {
      writer.calls().executeUpdate("insert");
      UUID first = writer.lastId();
      for (int i = 0; i < 2; i++) {
        writer.repeat(ByteBuffer.wrap(test.appended.getLast().bytes()));
        assertThat(test.last().replayOf()).isEqualTo(first);
        assertThat(test.last().id()).isNotEqualTo(first);
      }
    }
  }

  static Stream<Arguments> refusedArguments() {
    List<Object> deep = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      deep = new ArrayList<>(List.of(deep));
    }
    return Stream.of(
        Arguments.of(new Date(), "is java.util.Date"),
        Arguments.of(BigInteger.TEN, "is java.math.BigInteger"),
        Arguments.of('c', "is java.lang.Character"),
        Arguments.of(new int[0], "is int[]"),
        Arguments.of(Map.of(), "is java.util.ImmutableCollections$MapN"),
        Arguments.of(Thread.State.NEW, "is java.lang.Thread$State"),
        Arguments.of(ZonedDateTime.parse("2025-01-01T00:00:00Z"), "is java.time.ZonedDateTime"),
        Arguments.of(new Unregistered(1), "Unregistered, which has no alias"),
        Arguments.of(String.class, "is the class java.lang.String, which has no alias"),
        Arguments.of(Arrays.asList(1, 'c'), "element 2 (counted from 1) is java.lang.Character"),
        Arguments.of(deep, "nested deeper than 32"),
        Arguments.of("\ud83d!", "half of a surrogate pair"),
        Arguments.of(new Json("\udc00"), "half of a surrogate pair"),
        Arguments.of(new BigDecimal("1E+16384"), "scale of more than 16,383"),
        Arguments.of(new BigDecimal("1E-16384"), "scale of more than 16,383"),
        Arguments.of(
            new BigDecimal(BigInteger.ONE.shiftLeft(32_768)), "more than 4,096 bytes of digits"),
        Arguments.of(Instant.MAX, "Instant beyond the year 999,999,999"));
  }

  @ParameterizedTest
  @MethodSource("refusedArguments")
  void anArgumentThatNoMessageCarriesIsRefusedAtTheCall(Object argument, String expected) {
    try (Writer<Statements> writer = PROTOCOL.writer(test.queue())) {
      assertThatThrownBy(() -> writer.calls().executeQuery("select", Map.class, "secret", argument))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Statements.executeQuery: parameter 3, element 2")
          .hasMessageContaining(expected)
          .hasMessageContaining("nothing was appended (allowed: null, Boolean")
          .hasMessageNotContaining("secret");
      assertThat(test.appended).isEmpty();

      writer.calls().executeUpdate("insert", 1);
      Recorder<Statements> recorder = new Recorder<>(Statements.class);
      PROTOCOL
          .reader("test", recorder.target())
          .read(0, 0, ByteBuffer.wrap(test.appended.getFirst().bytes()));
      assertThat(recorder.last().varargs()).isEqualTo(List.of(1L));
    }
  }

  @Test
  void aMessageMayBeAsLargeAsTheLimitOfTheQueue() {
    TestQueue small = new TestQueue(1, 5_000);
    try (Writer<Statements> writer = PROTOCOL.writer(small.queue())) {
      writer.calls().executeUpdate("insert", "");
      int fixed = small.appended.getLast().bytes().length + 2;
      writer.calls().executeUpdate("insert", "x".repeat(5_000 - fixed));
      assertThat(small.appended.getLast().bytes()).hasSize(5_000);
      for (int size : new int[] {5_001, 5_030, 5_100, 10_000, 1_000_000}) {
        assertThatThrownBy(() -> writer.calls().executeUpdate("insert", "x".repeat(size - fixed)))
            .isInstanceOfSatisfying(
                QueueRefused.class,
                e -> {
                  assertThat(e.reason()).isEqualTo(QueueRefused.Reason.TOO_LARGE);
                  assertThat(e.retryAfter()).isZero();
                })
            .hasMessageContaining("limit=5,000 bytes");
      }
      assertThatThrownBy(
              () -> writer.calls().executeUpdate("insert", Collections.nCopies(6_000, null)))
          .isInstanceOf(QueueRefused.class);
      assertThat(small.appended).hasSize(2);
      writer.calls().executeUpdate("insert", "ü".repeat((5_000 - fixed) / 2));
      assertThat(small.appended.getLast().bytes()).hasSizeBetween(4_999, 5_000);
    }
  }

  @Test
  void aRefusedMessageLeavesTheWriterAsItWas() {
    try (Writer<Statements> writer = PROTOCOL.writer(test.queue())) {
      writer.calls().executeUpdate("insert", 1);
      UUID id = writer.lastId();
      test.refusing = true;
      assertThatThrownBy(() -> writer.calls().executeUpdate("insert", 2))
          .isInstanceOf(QueueRefused.class);
      assertThat(writer.lastTicket()).isEqualTo(1);
      assertThat(writer.lastId()).isEqualTo(id);
      test.refusing = false;
      writer.calls().executeUpdate("insert", 2);
      assertThat(writer.lastTicket()).isEqualTo(2);
    }
    assertThat(test.closed).isTrue();
  }

  @Test
  void anExceptionOfAnArgumentPropagatesAndNothingIsAppended() {
    List<Object> breaking =
        new AbstractList<>() {
          @Override
          public Object get(int index) {
            throw new IllegalStateException("broken list");
          }

          @Override
          public int size() {
            return 3;
          }
        };
    try (Writer<Statements> writer = PROTOCOL.writer(test.queue())) {
      assertThatThrownBy(() -> writer.calls().executeUpdate("insert", breaking))
          .hasMessage("broken list");
      assertThat(test.appended).isEmpty();
      writer.calls().executeUpdate("insert", OffsetDateTime.MIN);
      assertThat(test.appended).hasSize(1);
    }
  }
}
