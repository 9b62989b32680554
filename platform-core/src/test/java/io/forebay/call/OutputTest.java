/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.queue.GroupOffset;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutputTest extends MemoryQueueTest {

  private static final Protocol<Results> PROTOCOL = Protocol.of(Results.class);

  private static final int PARTITION = 2;

  private final TestQueue test = new TestQueue(4, 20_000);
  private final Output<Results> output = PROTOCOL.output(test.queue(), PARTITION);

  @AfterEach
  void clear() {
    Message.clear();
  }

  private static Message message(long position) {
    return Message.of(PARTITION, position, new UUID(position, -position), Instant.EPOCH);
  }

  private void answer(Message message, long... counts) {
    message.makeCurrent();
    for (long count : counts) {
      output.calls().updateResult(count);
    }
  }

  /** What was appended, a line per frame: partition, source, id and calls. */
  private List<String> frames() {
    List<String> frames = new ArrayList<>();
    for (TestQueue.Appended appended : test.appended) {
      Recorder<Results> recorder = new Recorder<>(Results.class);
      Message read =
          PROTOCOL
              .reader("out", recorder.target())
              .read(appended.partition(), 0, ByteBuffer.wrap(appended.bytes()));
      assertThat(read.id()).isEqualTo(message(read.source().orElseThrow()).id());
      List<Object> counts = new ArrayList<>();
      recorder.calls().forEach(c -> counts.addAll(c.arguments()));
      frames.add(appended.partition() + "/" + read.source().orElseThrow() + counts);
    }
    return frames;
  }

  @Test
  void theCallsForOneMessageAreOneFrame() {
    answer(message(5), 1, 2);
    assertThat(test.appended).isEmpty();
    answer(message(8), 3);
    assertThat(frames()).containsExactly("2/5[1, 2]");
    assertThat(output.lastTicket()).isEqualTo(1);
    output.flush();
    output.flush();
    assertThat(frames()).containsExactly("2/5[1, 2]", "2/8[3]");
    assertThat(output.lastTicket()).isEqualTo(2);
    assertThat(output.isAcknowledged(2)).isTrue();
    assertThat(output.isAcknowledged(3)).isFalse();
    output.close();
    assertThat(test.closed).isTrue();
  }

  /** The bytes as a queue may pass them: in the middle of a larger buffer. */
  private static ByteBuffer inside(byte[] bytes) {
    ByteBuffer larger = ByteBuffer.allocate(bytes.length + 100).put(50, bytes);
    return larger.position(50).limit(50 + bytes.length);
  }

  /** As {@link #frames}, with a line per answer. */
  private List<String> answers() {
    return answers(test);
  }

  private static List<String> answers(TestQueue test) {
    assertThat(test.appended).allMatch(it -> it.partition() == PARTITION);
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < test.appended.size(); i++) {
      Recorder<Results> recorder = new Recorder<>(Results.class);
      CallReader<Results> reader = PROTOCOL.reader("out", recorder.target());
      AnswerRun.singly(
              "out",
              0,
              (position, bytes) -> {
                Message read = reader.read(0, position, bytes);
                long source = read.source().orElseThrow();
                assertThat(read.id()).isEqualTo(message(source).id());
                assertThat(read.sources()).isEqualTo(1);
                List<Object> counts = new ArrayList<>();
                recorder.calls().forEach(c -> counts.addAll(c.arguments()));
                recorder.calls().clear();
                answers.add(position + ": " + source + counts);
              })
          .handle(i, inside(test.appended.get(i).bytes()));
    }
    return answers;
  }

  @Test
  void equalAnswersToConsecutiveMessagesAreOneMessage() {
    output.collectRuns();
    for (long position : List.of(5L, 6L, 7L, 9L, 10L)) {
      answer(message(position), 1);
    }
    answer(message(11), 2);
    answer(message(12), 1);
    assertThat(test.appended).hasSize(2);
    output.flush();
    answer(message(13), 1);
    output.flush();
    output.flush();
    answer(message(14), 3, 4);
    answer(message(15), 3, 4);
    output.flush();
    assertThat(answers())
        .containsExactly(
            "0: 5[1]",
            "0: 6[1]",
            "0: 7[1]",
            "1: 9[1]",
            "1: 10[1]",
            "2: 11[2]",
            "3: 12[1]",
            "4: 13[1]",
            "5: 14[3, 4]",
            "5: 15[3, 4]");
    assertThat(test.appended.get(4).bytes()[1]).as("a single answer has version 0").isZero();
    Message run = Message.peek("out", 0, 0, inside(test.appended.getFirst().bytes()));
    assertThat(run.sources()).isEqualTo(3);
    assertThat(run.source()).hasValue(5);
    assertThat(run.id()).isEqualTo(message(5).id());
    assertThatThrownBy(() -> answer(message(13), 1)).isInstanceOf(IllegalStateException.class);
  }

  /** The longest answers of a run have 1,024 bytes. A run has at most 4,095 answers. */
  @ParameterizedTest
  @CsvSource({"20000, 1, 5", "20000, 970, 5", "20000, 971, 5000", "1000000, 970, 2"})
  void aRunEndsBeforeItIsTooLargeForTheQueue(int maxBytes, int textBytes, int messages) {
    TestQueue queue = new TestQueue(4, maxBytes);
    Output<Results> runs = PROTOCOL.output(queue.queue(), PARTITION);
    runs.collectRuns();
    Results.Failure failure = new Results.Failure("", 1, null, "x".repeat(textBytes));
    for (int position = 0; position < 5_000; position++) {
      message(position).makeCurrent();
      runs.calls().updateThrown(failure);
    }
    runs.flush();
    assertThat(queue.appended).hasSize(messages).allMatch(it -> it.bytes().length <= maxBytes);
    assertThat(answers(queue)).hasSize(5_000).doesNotHaveDuplicates();
  }

  @Test
  void aRunIsWrittenBeforeALaterAnswerThatIsNotPartOfIt() {
    output.collectRuns();
    answer(message(1), 1);
    answer(message(2), 1);
    output.failed(message(3), new CallFailure("e", "t"));
    output.flush();
    assertThat(answers()).containsExactly("0: 1[1]", "0: 2[1]", "1: 3[]");
  }

  @Test
  void anAnswerToAMessageWithAKeyNamesItsSenderAndItsKeyAndIsNoRun() {
    output.collectRuns();
    byte[] keyed =
        Foreign.envelope(Foreign.map("client", "shop", "key", "order 7")).EncodeToBytes();
    for (int position = 0; position < 2; position++) {
      answer(Message.peek("in", PARTITION, position, ByteBuffer.wrap(keyed)), 1);
    }
    output.flush();
    assertThat(test.appended).hasSize(2);
    assertThat(test.last().id()).isEqualTo(Foreign.ID);
    assertThat(test.last().sourceClient()).isEqualTo("shop");
    assertThat(test.last().sourceKey()).isEqualTo("order 7");
    assertThat(test.last().client()).isNull();
  }

  /** Another program may have appended them. */
  @Test
  void bytesThatAreNoMessageAreNoRun() {
    assertThat(AnswerRun.of("out", 0, 0, ByteBuffer.allocate(0))).isNull();
    assertThat(AnswerRun.of("out", 0, 0, ByteBuffer.wrap(new byte[] {(byte) 0x84}))).isNull();
  }

  @Test
  void aRefusedRunStaysAndIsAppendedOnce() {
    output.collectRuns();
    answer(message(1), 1);
    answer(message(2), 1);
    test.refusing = true;
    assertThatThrownBy(output::flush).isInstanceOf(QueueRefused.class);
    answer(message(3), 1);
    answer(message(4), 2);
    assertThatThrownBy(() -> answer(message(5), 3)).isInstanceOf(QueueRefused.class);
    test.refusing = false;
    answer(message(5), 3);
    output.flush();
    assertThat(answers()).containsExactly("0: 1[1]", "0: 2[1]", "0: 3[1]", "1: 4[2]", "2: 5[3]");
  }

  @Test
  void aReaderThatFailedInARunGetsTheRestOfIt() {
    output.collectRuns();
    for (int position = 0; position < 4; position++) {
      answer(message(position), 1);
    }
    output.flush();
    List<Long> read = new ArrayList<>();
    boolean[] failing = {true};
    MessageHandler handler =
        AnswerRun.singly(
            "out",
            0,
            (position, bytes) -> {
              long source = Message.peek("out", 0, position, bytes).source().orElseThrow();
              if (source == 2 && failing[0]) {
                throw new IllegalStateException("failed");
              }
              read.add(source);
            });
    ByteBuffer run = ByteBuffer.wrap(test.appended.getFirst().bytes());
    assertThatThrownBy(() -> handler.handle(0, run)).isInstanceOf(IllegalStateException.class);
    failing[0] = false;
    handler.handle(0, run);
    handler.handle(1, run);
    assertThat(read).containsExactly(0L, 1L, 2L, 3L, 0L, 1L, 2L, 3L);
  }

  @Test
  void aRunIsNoMessageForAComponentAndHasNoSender() {
    output.collectRuns();
    answer(message(1), 1);
    answer(message(2), 1);
    output.flush();
    byte[] run = test.appended.getFirst().bytes();
    CallReader<Results> reader = PROTOCOL.reader("in", new Recorder<>(Results.class).target());
    assertThatThrownBy(() -> reader.read(0, 0, ByteBuffer.wrap(run)))
        .isInstanceOf(UndecodableMessage.class)
        .hasMessageContaining("version 2");
    String hex = HexFormat.of().formatHex(run);
    String withClient =
        hex.replaceFirst("a166736f7572636501", "a266736f757263650166636c69656e746161");
    assertThat(withClient).isNotEqualTo(hex);
    assertThatThrownBy(
            () -> Message.peek("out", 0, 0, ByteBuffer.wrap(HexFormat.of().parseHex(withClient))))
        .isInstanceOf(UndecodableMessage.class);
  }

  @Test
  void aMessageWithoutAnswersGetsAnEmptyFrame() {
    answer(message(1), 1);
    output.empty(message(2));
    assertThat(frames()).containsExactly("2/1[1]", "2/2[]");
    assertThat(output.lastTicket()).isEqualTo(2);
  }

  @Test
  void aMessageWithAnswersGetsNoEmptyFrame() {
    Message message = message(1);
    answer(message, 1);
    output.empty(message);
    assertThat(frames()).containsExactly("2/1[1]");
    assertThatThrownBy(() -> output.empty(message)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void outsideAMessageThereIsNothingToAnswer() {
    assertThatThrownBy(() -> output.calls().updateResult(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no message is being handled on thread");
    assertThat(Message.currentOrNull()).isNull();
    output.flush();
    assertThat(test.appended).isEmpty();
  }

  @Test
  void answersOutOfTheOrderOfTheirMessagesAreRefused() {
    answer(message(5), 1);
    answer(message(6), 2);
    message(5).makeCurrent();
    assertThatThrownBy(() -> output.calls().updateResult(3))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("position 6 is already answered in queue test");
    output.flush();
    assertThat(frames()).containsExactly("2/5[1]", "2/6[2]");
  }

  @Test
  void aMessageOfAnotherPartitionCannotBeAnswered() {
    Message.of(1, 0, new UUID(0, 0), Instant.EPOCH).makeCurrent();
    assertThatThrownBy(() -> output.calls().updateResult(3))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("this output is for partition 2 of queue test");
    output.flush();
    assertThat(test.appended).isEmpty();
  }

  @Test
  void aRefusedFrameStaysPendingUntilItIsTaken() {
    answer(message(1), 1);
    test.refusing = true;
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(output::flush).isInstanceOf(QueueRefused.class);
    }
    assertThatThrownBy(() -> answer(message(2), 2)).isInstanceOf(QueueRefused.class);
    assertThatThrownBy(() -> output.empty(message(2))).isInstanceOf(QueueRefused.class);
    assertThat(output.lastTicket()).isZero();
    test.refusing = false;
    answer(message(2), 2, 3);
    output.flush();
    assertThat(frames()).containsExactly("2/1[1]", "2/2[2, 3]");
  }

  @Test
  void aRefusedEmptyFrameStaysPendingToo() {
    Message message = message(1);
    test.refusing = true;
    assertThatThrownBy(() -> output.empty(message)).isInstanceOf(QueueRefused.class);
    assertThatThrownBy(() -> output.empty(message)).isInstanceOf(QueueRefused.class);
    test.refusing = false;
    output.flush();
    assertThat(frames()).containsExactly("2/1[]");
  }

  @Test
  void aRefusedFailureStaysPendingToo() {
    Message message = message(1);
    CallFailure failure = new CallFailure("e", "t");
    test.refusing = true;
    assertThatThrownBy(() -> output.failed(message, failure)).isInstanceOf(QueueRefused.class);
    test.refusing = false;
    output.failed(message, failure);
    assertThat(frames()).containsExactly("2/1[]");
    assertThat(test.last().failure()).isEqualTo(failure);
  }

  @Test
  void aFrameKeepsAllCallsThatFollowARefusal() {
    Message message = message(1);
    answer(message, 1);
    test.refusing = true;
    assertThatThrownBy(output::flush).isInstanceOf(QueueRefused.class);
    test.refusing = false;
    answer(message, 2);
    output.flush();
    assertThat(frames()).containsExactly("2/1[1, 2]");
  }

  @Test
  void aDiscardedFrameIsWrittenAgain() {
    answer(message(1), 1);
    output.flush();
    answer(message(2), 2, 3);
    output.discard();
    output.flush();
    answer(message(2), 4);
    output.flush();
    assertThat(frames()).containsExactly("2/1[1]", "2/2[4]");
  }

  @Test
  void aRefusedArgumentLeavesTheFrameAsItWas() {
    Message message = message(1);
    answer(message, 1);
    List<List<Object>> wrong = List.of(List.of(1, new Date()));
    assertThatThrownBy(() -> output.calls().queryResult(wrong))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Results.queryResult: parameter 1, element 1, element 2");
    answer(message, 2);
    message(2).makeCurrent();
    assertThatThrownBy(() -> output.calls().queryResult(wrong))
        .isInstanceOf(IllegalArgumentException.class);
    output.flush();
    assertThat(frames()).containsExactly("2/1[1, 2]");
  }

  @Test
  void aCallThatMakesTheFrameTooLargeIsNotPartOfIt() {
    Message message = message(1);
    answer(message, 1);
    List<List<Object>> large = List.of(Collections.nCopies(30_000, null));
    assertThatThrownBy(() -> output.calls().queryResult(large))
        .isInstanceOfSatisfying(
            QueueRefused.class,
            e -> assertThat(e.reason()).isEqualTo(QueueRefused.Reason.TOO_LARGE));
    answer(message, 2);
    output.flush();
    assertThat(frames()).containsExactly("2/1[1, 2]");
  }

  /** The tenth call makes the head of the frame longer. */
  @ParameterizedTest
  @ValueSource(ints = {0, 9})
  void aFrameIsAsLargeAsTheQueueAllowsAndNotLarger(int callsBefore) {
    answer(message(1), new long[callsBefore]);
    output.calls().queryResult(List.of(List.of("x".repeat(1_000))));
    output.flush();
    int room = 20_000 - test.appended.getFirst().bytes().length;
    answer(message(2), new long[callsBefore]);
    assertThatThrownBy(() -> output.calls().queryResult(List.of(List.of("x".repeat(1_001 + room)))))
        .isInstanceOf(QueueRefused.class);
    output.calls().queryResult(List.of(List.of("x".repeat(1_000 + room))));
    output.flush();
    assertThat(test.appended.getLast().bytes()).hasSize(20_000);
  }

  @Test
  void aResultIsAsLargeAsTheQueueAllowsAndNotLarger() {
    interface Texts {
      CompletableFuture<String> text(int length);
    }
    CallReader<Texts> reader =
        Protocol.of(Texts.class)
            .reader(
                "in",
                length -> CompletableFuture.completedFuture("x".repeat(length)),
                output,
                CompletableFuture::join);
    IntConsumer perform =
        length -> {
          ByteBuffer call = ByteBuffer.wrap(Foreign.message("text", length));
          output.empty(reader.read(PARTITION, test.appended.size(), call));
        };
    perform.accept(1_000);
    int most = 1_000 + 20_000 - test.appended.getFirst().bytes().length;
    assertThatThrownBy(() -> perform.accept(most + 1)).isInstanceOf(QueueRefused.class);
    output.discard();
    perform.accept(most);
    assertThat(test.appended.getLast().bytes()).hasSize(20_000);
  }

  @Test
  void aFrameHoldsAnyNumberOfCallsThatFits() {
    for (int calls : new int[] {9, 10, 11, 300}) {
      test.appended.clear();
      answer(message(calls), LongStream.range(0, calls).toArray());
      output.flush();
      assertThat(frames().getFirst())
          .startsWith("2/" + calls + "[0, 1, 2")
          .endsWith(", " + (calls - 1) + "]");
    }
  }

  @Test
  void aFrameIsRefusedMoreCallsThanItsArrayHasItems() {
    interface Short {
      void a();
    }
    TestQueue wide = new TestQueue(4, 1 << 20);
    Output<Short> output = Protocol.of(Short.class).output(wide.queue(), PARTITION);
    message(1).makeCurrent();
    for (int i = 0; i < 32_765; i++) {
      output.calls().a();
    }
    assertThatThrownBy(() -> output.calls().a())
        .isInstanceOf(QueueRefused.class)
        .hasMessageContaining("already has 32,765 answers");
    output.flush();
    int[] calls = {0};
    Protocol.of(Short.class)
        .reader("out", () -> calls[0]++)
        .read(0, 0, ByteBuffer.wrap(wide.appended.getFirst().bytes()));
    assertThat(calls[0]).isEqualTo(32_765);
  }

  /** Nobody keeps more than a few MiB of answers, and a slow call does not delay them. */
  @Test
  void manyBytesArePublishedBeforeTheirBatchIsComplete() {
    interface Texts {
      void text(String text);
    }
    TestQueue large = new TestQueue(4, 1 << 20);
    Output<Texts> texts = Protocol.of(Texts.class).output(large.queue(), PARTITION);
    texts.commits(next -> new GroupOffset(next, ""));
    for (int position = 0; position < 6; position++) {
      message(position).makeCurrent();
      texts.calls().text("x".repeat(600_000));
    }
    assertThat(large.offsets).containsExactly(new GroupOffset(2, ""), new GroupOffset(4, ""));
    texts.publish();
    assertThat(large.offsets).endsWith(new GroupOffset(6, ""));
  }

  @Test
  void theFirstAnswerIsPublishedWithTheOffsetBehindItsMessage() {
    output.commits(next -> new GroupOffset(next, ""));
    output.publish();
    assertThat(test.published).isEqualTo(1);
    answer(message(0), 1);
    output.publish();
    output.commit(new GroupOffset(3, ""));
    assertThat(test.published).isEqualTo(1);
    assertThat(test.offsets).containsExactly(new GroupOffset(1, ""), new GroupOffset(3, ""));
  }

  @Test
  void aServiceAnswersThroughTheQueue() throws Exception {
    MessageQueue in = open("in", 1);
    MessageQueue out = open("out", 1);
    Protocol<Statements> statements = Protocol.of(Statements.class);
    Recorder<Results> results = new Recorder<>(Results.class);
    try (Writer<Statements> writer = statements.writer(in);
        Output<Results> answers = PROTOCOL.output(out, 0)) {
      writer.calls().executeUpdate("insert", 1);
      UUID first = writer.lastId();
      writer.calls().executeUpdate("insert", 2);
      UUID second = writer.lastId();
      Statements component =
          new Statements() {
            @Override
            public void executeQuery(String query, Class<?> resultType, Object... args) {
              throw new AssertionError();
            }

            @Override
            public void executeUpdate(String query, Object... args) {
              answers.calls().updateResult((Long) args[0]);
            }
          };
      readAll(in, 0, statements.reader("in", component));
      answers.flush();
      readAll(out, 0, PROTOCOL.reader("out", results.target()));

      assertThat(results.calls())
          .extracting(Recorder.Call::arguments)
          .containsExactly(List.of(1L), List.of(2L));
      assertThat(results.calls()).extracting(c -> c.message().id()).containsExactly(first, second);
      assertThat(results.calls())
          .extracting(c -> c.message().source().orElseThrow())
          .containsExactly(0L, 1L);
    }
  }
}
