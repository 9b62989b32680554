/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.forebay.call.history.History;
import io.forebay.call.history.HistoryRecorder;
import io.forebay.call.history.Hop;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborOutput;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.time.AppendClock;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which answers carry the history of their message, and what it says. */
class HistoryTest {

  interface Numbers {
    void number(long number);
  }

  private static final Protocol<Numbers> NUMBERS = Protocol.of(Numbers.class);
  private static final UUID ID = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");
  private static final int MAX_BYTES = 10_000;

  private long micros = 1_000_000;

  /** A service that answers a number with the next one; each step takes some microseconds. */
  private final class Stage {

    final TestQueue out = new TestQueue(1, MAX_BYTES);
    final Output<Numbers> answers =
        new Output<>(NUMBERS, out.queue(), 0, out.queue().appender(), clock());
    final CallReader<Numbers> reader;
    Consumer<Long> component = number -> answers.calls().number(number + 1);

    Stage(String name, int oneIn) {
      answers.recordHistory(name, oneIn);
      reader = NUMBERS.reader("in", number -> component.accept(number), answers, _ -> null);
    }

    /** Performs a message, and returns the answer. */
    byte[] perform(long position, byte[] message) {
      Message performed = read(position, message);
      micros += 100;
      answers.empty(performed);
      return out.appended.getLast().bytes();
    }

    private Message read(long position, byte[] message) {
      return reader.read(0, position, ByteBuffer.wrap(message));
    }
  }

  @AfterEach
  void clear() {
    Message.clear();
  }

  private AppendClock clock() {
    return new AppendClock(() -> at(micros), () -> micros * 1_000);
  }

  private static Instant at(long micros) {
    return Instant.EPOCH.plusNanos(micros * 1_000);
  }

  private byte[] call(UUID id) {
    TestQueue queue = new TestQueue();
    try (Writer<Numbers> writer =
        new Writer<>(
            NUMBERS,
            queue.queue(),
            Writer.PARTITION_BY_ID,
            null,
            null,
            new AppendClock(() -> at(micros), () -> 0))) {
      writer.calls().number(1);
    }
    byte[] bytes = queue.appended.getFirst().bytes();
    ByteBuffer.wrap(bytes)
        .putLong(3, id.getMostSignificantBits())
        .putLong(11, id.getLeastSignificantBits());
    return bytes;
  }

  private static Message envelope(byte[] message) {
    return Message.peek("out", 0, 0, ByteBuffer.wrap(message));
  }

  /** A message whose header {@code history} has this value. */
  private static byte[] withHistory(Consumer<CborOutput> value) {
    return CborOutput.encoded(out -> {
      out.head(Cbor.ARRAY, 6);
      out.integer(0);
      out.byteString(ID.getMostSignificantBits(), ID.getLeastSignificantBits());
      out.integer(7);
      out.head(Cbor.MAP, 1);
      out.text(Cbor.TEXT, "history");
      value.accept(out);
      out.text(Cbor.TEXT, "number");
      out.head(Cbor.ARRAY, 1);
      out.integer(1);
    });
  }

  private static void hops(CborOutput out, int count) {
    out.head(Cbor.ARRAY, count);
    for (int i = 0; i < count; i++) {
      out.head(Cbor.ARRAY, 5);
      out.text(Cbor.TEXT, "s" + i);
      for (int part = 0; part < 4; part++) {
        out.integer(10L * i + part);
      }
    }
  }

  @Test
  void anAnswerSaysWhereTheTimeOfItsMessageWent() {
    Stage pricing = new Stage("pricing", 1);
    Stage billing = new Stage("billing", 0);
    byte[] call = call(ID);
    micros += 2_000;
    byte[] priced = pricing.perform(12, call);
    micros += 30_000;
    byte[] billed = billing.perform(9, priced);

    assertThat(envelope(call).history()).isEmpty();
    Hop first = new Hop("pricing", 12, at(1_000_000), at(1_002_000), at(1_002_100), at(1_002_100));
    assertThat(envelope(priced).history()).containsExactly(first);
    assertThat(envelope(billed).history())
        .containsExactly(
            first,
            new Hop("billing", 9, at(1_002_100), at(1_032_100), at(1_032_200), at(1_032_200)));
    assertThat(first.waiting()).hasMillis(2);
    assertThat(first.performing().toNanos()).isEqualTo(100_000);
    assertThat(first.answering()).isZero();
  }

  @Test
  void aComponentSeesWhatTheStagesBeforeDid() {
    Stage pricing = new Stage("pricing", 1);
    Stage billing = new Stage("billing", 1);
    List<Hop> seen = new ArrayList<>();
    billing.component = _ -> seen.addAll(Message.current().history());
    billing.perform(9, pricing.perform(12, call(ID)));
    assertThat(seen).extracting(Hop::service).containsExactly("pricing");
  }

  @Test
  void theFirstStageDecidesByTheIdAloneAndLaterOnesFollow() {
    Random random = new Random(3);
    Set<UUID> oneIn10 = new HashSet<>();
    Set<UUID> oneIn30 = new HashSet<>();
    for (int i = 0; i < 30_000; i++) {
      UUID id = i % 2 == 0 ? new UUID(i, 7) : new UUID(random.nextLong(), random.nextLong());
      if (isRecorded(10, id)) {
        oneIn10.add(id);
      }
      if (isRecorded(30, id)) {
        oneIn30.add(id);
      }
      assertThat(isRecorded(0, id)).isFalse();
      assertThat(isRecorded(1, id)).isTrue();
    }
    assertThat(oneIn10).hasSizeBetween(2_700, 3_300).allMatch(id -> isRecorded(10, id));
    assertThat(oneIn30).hasSizeBetween(900, 1_100);
    assertThat(oneIn10).containsAll(oneIn30);

    byte[] unrecorded = new Stage("pricing", 0).perform(0, call(ID));
    assertThat(envelope(new Stage("billing", 1).perform(9, unrecorded)).history()).isEmpty();
  }

  private boolean isRecorded(int oneIn, UUID id) {
    return new HistoryRecorder("any", oneIn, clock())
            .received(null, false, 0, id.getMostSignificantBits(), id.getLeastSignificantBits())
        != null;
  }

  @Test
  void aMessageThatIsTriedAgainWasReceivedAtTheFirstTry() {
    Stage stage = new Stage("pricing", 1);
    byte[] call = call(ID);
    stage.component =
        _ -> {
          throw new IllegalStateException("try again");
        };
    assertThatThrownBy(() -> stage.read(12, call)).hasMessage("try again");
    micros += 500_000;
    stage.component = _ -> {};
    Hop hop = envelope(stage.perform(12, call)).history().getFirst();
    assertThat(hop.performing()).hasNanos(500_100_000);
    assertThat(envelope(stage.perform(13, call)).history().getFirst().performing())
        .hasNanos(100_000);
  }

  @Test
  void aFailureHasAHistoryToo() {
    Stage stage = new Stage("pricing", 1);
    Message message = stage.reader.peek(0, 12, ByteBuffer.wrap(call(ID)));
    stage.answers.failed(message, new CallFailure("code", "text"));
    Message answer = envelope(stage.out.appended.getLast().bytes());
    assertThat(answer.failure()).isEqualTo(new CallFailure("code", "text"));
    assertThat(answer.history()).extracting(Hop::position).containsExactly(12L);
  }

  @Test
  void theMessagesOfABatchWerePerformedTogetherBeforeTheFirstAnswer() {
    Stage stage = new Stage("books", 1);
    stage.component = _ -> {};
    List<Message> batch = List.of(stage.read(3, call(ID)), stage.read(4, call(ID)));
    micros = 2_000_000;
    stage.answers.performed();
    for (Message message : batch) {
      micros += 10;
      stage.answers.empty(message);
    }
    assertThat(stage.out.appended)
        .flatExtracting(answer -> envelope(answer.bytes()).history())
        .extracting(Hop::performed, Hop::answered)
        .containsExactly(tuple(at(2_000_000), at(2_000_010)), tuple(at(2_000_000), at(2_000_020)));
    stage.answers.publish();
    assertThat(envelope(stage.perform(5, call(ID))).history().getFirst().performed())
        .isEqualTo(at(2_000_120));
  }

  @Test
  void aRefusedAnswerHasItsHopOnce() {
    Stage stage = new Stage("pricing", 1);
    byte[] call = call(ID);
    stage.out.refusing = true;
    Message message = stage.read(12, call);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> stage.answers.empty(message)).isInstanceOf(QueueRefused.class);
      micros += 1_000;
    }
    stage.out.refusing = false;
    stage.answers.empty(message);
    assertThat(envelope(stage.out.appended.getLast().bytes()).history())
        .singleElement()
        .satisfies(hop -> assertThat(hop.answering()).hasMillis(2));
  }

  @Test
  void anAnswerWithoutRoomIsAppendedWithoutItsHistory() {
    interface Texts {
      void text(String text);
    }
    TestQueue out = new TestQueue(1, MAX_BYTES);
    Output<Texts> answers =
        new Output<>(Protocol.of(Texts.class), out.queue(), 0, out.queue().appender(), clock());
    answers.recordHistory("pricing", 1);
    CallReader<Numbers> reader =
        NUMBERS.reader(
            "in", number -> answers.calls().text("x".repeat((int) number)), answers, _ -> null);
    int recorded = 0;
    for (int size = MAX_BYTES - 150; size < MAX_BYTES - 60; size++) {
      byte[] call = withHistory(value -> hops(value, 1));
      byte[] sized = Arrays.copyOf(call, call.length + 2);
      sized[call.length - 1] = Cbor.UNSIGNED | 25;
      ByteBuffer.wrap(sized).putShort(call.length, (short) size);
      answers.empty(reader.read(0, size, ByteBuffer.wrap(sized)));
      byte[] answer = out.appended.getLast().bytes();
      assertThat(answer).hasSizeLessThanOrEqualTo(MAX_BYTES);
      recorded += envelope(answer).history().isEmpty() ? 0 : 1;
    }
    assertThat(recorded).isBetween(1, 80);
  }

  @Test
  void aHistoryIsCompleteOrAbsent() {
    Stage stage = new Stage("last", 0);
    List<Hop> most =
        envelope(stage.perform(0, withHistory(value -> hops(value, History.MAX_HOPS - 1))))
            .history();
    assertThat(most).hasSize(History.MAX_HOPS);
    assertThat(most.getFirst()).isEqualTo(new Hop("s0", 0, at(1), at(2), at(3), at(11)));
    byte[] full = withHistory(value -> hops(value, History.MAX_HOPS));
    assertThat(envelope(full).history()).hasSize(History.MAX_HOPS);
    assertThat(envelope(stage.perform(1, full)).history()).isEmpty();
  }

  /** For example one of a later version. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "f6", // null
        "07", // a number
        "80", // no hop
        "8100", // a hop that is no array
        "81846161000000", // too few parts
        "8186616100000000f6", // too many parts
        "81850000000000", // a name that is no text
        "8185616100200000", // a negative position
        "8185616100001bffffffffffffffff00", // a time beyond 63 bits
        "a0", // a map
      })
  void aHistoryThatIsNotAsDescribedIsIgnored(String hex) {
    byte[] value = Foreign.hex(hex);
    byte[] message = withHistory(out -> out.raw(value, 0, value.length));
    assertThat(envelope(message).history()).isEmpty();
    Stage stage = new Stage("next", 0);
    byte[] answer = stage.perform(5, message);
    assertThat(envelope(answer).source()).hasValue(5);
    assertThat(envelope(answer).history()).isEmpty();
  }

  @Test
  void aNameLongerThanAllowedIsIgnored() {
    byte[] message =
        withHistory(out -> {
          out.head(Cbor.ARRAY, 1);
          out.head(Cbor.ARRAY, 5);
          out.text(Cbor.TEXT, "n".repeat(256));
          for (int part = 0; part < 4; part++) {
            out.integer(1);
          }
        });
    assertThat(envelope(message).history()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"5f", "8185", "62c328"})
  void aHistoryThatIsNotCborIsRefusedLikeAnyOtherHeader(String hex) {
    byte[] value = Foreign.hex(hex);
    byte[] message = withHistory(out -> out.raw(value, 0, value.length));
    assertThatThrownBy(() -> new Stage("next", 0).read(5, message))
        .isInstanceOf(UndecodableMessage.class);
  }
}
