/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborOutput;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.time.AppendClock;
import io.forebay.trace.RecordedSpans;
import io.forebay.trace.ThrowingTracer;
import io.forebay.trace.TraceParent;
import io.forebay.trace.Tracing;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which messages carry a trace. */
class TraceTest {

  interface Numbers {
    void number(long number);
  }

  interface Texts {
    void text(String text);
  }

  private static final TraceParent TRACE =
      TraceParent.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  private static final Protocol<Numbers> NUMBERS = Protocol.of(Numbers.class);

  private final RecordedSpans spans = new RecordedSpans();
  private final TestQueue queue = new TestQueue();
  private final Writer<Numbers> writer = NUMBERS.traced(spans.tracing()).writer(queue.queue());

  @AfterEach
  void close() {
    spans.close();
    Message.clear();
  }

  private int lastBytes() {
    return queue.appended.getLast().bytes().length;
  }

  @Test
  void aCallInASampledSpanCarriesItIn39Bytes() {
    writer.calls().number(1);
    int without = lastBytes();
    assertThat(queue.last().trace()).isNull();

    TraceParent caller = spans.in("caller", () -> writer.calls().number(1));
    assertThat(queue.last().trace()).isEqualTo(caller);
    assertThat(lastBytes() - without).isEqualTo(39);

    writer.calls().number(1);
    assertThat(queue.last().trace()).isNull();
  }

  @Test
  void aCallInASpanThatIsNotSampledCarriesNothing() {
    try (RecordedSpans unsampled = new RecordedSpans(Sampler.alwaysOff());
        Writer<Numbers> other = NUMBERS.traced(unsampled.tracing()).writer(queue.queue())) {
      other.calls().number(1);
      int without = lastBytes();
      unsampled.in("caller", () -> other.calls().number(1));
      assertThat(queue.last().trace()).isNull();
      assertThat(lastBytes()).isEqualTo(without);
    }
  }

  @Test
  void theNextCallCarriesAGivenTraceUnlessItsThreadHasASpan() {
    writer.traced(TRACE).calls().number(1);
    assertThat(queue.last().trace()).isEqualTo(TRACE);
    writer.calls().number(1);
    assertThat(queue.last().trace()).isNull();
    TraceParent caller = spans.in("caller", () -> writer.traced(TRACE).calls().number(1));
    assertThat(queue.last().trace()).isEqualTo(caller);
  }

  @Test
  void aRepeatedMessageKeepsItsTraceWhoeverRepeatsIt() {
    writer.keyed("shop", "7").traced(TRACE).calls().number(1);
    ByteBuffer first = ByteBuffer.wrap(queue.appended.getLast().bytes());
    spans.in("operator", () -> writer.repeat(first));
    assertThat(queue.last().trace()).isEqualTo(TRACE);
    assertThat(queue.last().replayOf()).isNotNull();

    writer.calls().number(2);
    ByteBuffer untraced = ByteBuffer.wrap(queue.appended.getLast().bytes());
    spans.in("operator", () -> writer.repeat(untraced));
    assertThat(queue.last().trace()).isNull();
  }

  @Test
  void aTracerThatThrowsFailsNoCall() {
    for (Throwable thrown : ThrowingTracer.THROWN) {
      Tracing tracing = ThrowingTracer.ofAll(thrown);
      try (Writer<Numbers> other = NUMBERS.traced(tracing).writer(queue.queue())) {
        other.keyed("shop", "7").traced(TRACE).calls().number(1);
        assertThat(queue.last().key()).isEqualTo("7");
        assertThat(queue.last().trace()).isEqualTo(TRACE);
        other.calls().number(1);
        assertThat(queue.last().key()).isNull();
        assertThat(queue.last().trace()).isNull();
      }
    }
  }

  @Test
  void optionsAreForgottenAlsoIfTheCallFailsBecauseOfItsTrace() {
    List<Integer> asked = new ArrayList<>();
    Tracing throwsOnce =
        (Tracing)
            Proxy.newProxyInstance(
                Tracing.class.getClassLoader(),
                new Class<?>[] {Tracing.class},
                (_, _, _) -> {
                  asked.add(1);
                  if (asked.size() == 1) {
                    throw new IllegalStateException("thrown for the test");
                  }
                  return null;
                });
    try (Writer<Numbers> other = NUMBERS.traced(throwsOnce).writer(queue.queue())) {
      other.keyed("shop", "7").deliverBy(Instant.EPOCH).traced(TRACE);
      assertThatThrownBy(() -> other.calls().number(1)).hasMessage("thrown for the test");
      assertThat(queue.appended).isEmpty();
      other.calls().number(1);
      assertThat(queue.last())
          .extracting(Message::client, Message::key, Message::deliverBy, Message::trace)
          .containsOnlyNulls();
    }
  }

  @Test
  void aMessageThatFitsOnlyWithoutItsTraceHasNone() {
    TestQueue small = new TestQueue(1, 200);
    try (Writer<Texts> texts = Protocol.of(Texts.class).writer(small.queue())) {
      texts.calls().text("");
      int room = 200 - small.appended.getLast().bytes().length - 1; // of the longer head
      for (int length = 25; length <= room; length++) {
        String text = "x".repeat(length);
        texts.calls().text(text);
        byte[] without = small.appended.getLast().bytes();
        texts.traced(TRACE).calls().text(text);
        boolean fits = without.length + 39 <= 200;
        assertThat(small.last().trace()).isEqualTo(fits ? TRACE : null);
        assertThat(small.appended.getLast().bytes()).hasSize(without.length + (fits ? 39 : 0));
        assertThat(read(small)).isEqualTo(text);
        if (length <= room - 60) {
          texts.keyed("shop", "7").traced(TRACE).calls().text(text);
          assertThat(read(small)).isEqualTo(text);
          assertThat(small.last().key()).isEqualTo("7");
        }
        if (length <= room - 27) { // that of the header replayOf
          texts.traced(TRACE).calls().text(text);
          UUID first = small.last().id();
          texts.repeat(ByteBuffer.wrap(small.appended.getLast().bytes()));
          assertThat(read(small)).isEqualTo(text);
          assertThat(small.last().replayOf()).isEqualTo(first);
        }
      }
      assertThat(small.appended.getLast().bytes()).hasSize(200);
      assertThatThrownBy(() -> texts.traced(TRACE).calls().text("x".repeat(room + 1)))
          .isInstanceOf(QueueRefused.class);
      texts.traced(TRACE).calls().text("x".repeat(room));
      assertThat(read(small)).hasSize(room);
    }
  }

  @Test
  void anAnswerThatFitsOnlyWithoutItsTraceHasNone() {
    for (int length = 60; length <= 180; length++) {
      String text = "x".repeat(length);
      byte[] without = answer(null, text);
      byte[] with = answer(TRACE, text);
      if (without.length + 39 <= 200) {
        assertThat(with).hasSize(without.length + 39);
      } else {
        assertThat(with).isEqualTo(without);
      }
    }
  }

  /** The answer of two texts, of which the second is as long as asked; the shorter if refused. */
  private static byte[] answer(@Nullable TraceParent trace, String text) {
    TestQueue in = new TestQueue();
    TestQueue out = new TestQueue(1, 200);
    Protocol<Texts> texts = Protocol.of(Texts.class);
    Output<Texts> answers = new Output<>(texts, out.queue(), 0, out.queue().appender(), clock());
    try (Writer<Numbers> sender = NUMBERS.writer(in.queue())) {
      sender.keyed("shop", "7").traced(trace).calls().number(1);
    }
    in.last().makeCurrent();
    answers.calls().text("");
    try {
      answers.calls().text(text);
    } catch (QueueRefused e) {
      assertThat(e.reason()).isEqualTo(QueueRefused.Reason.TOO_LARGE);
    }
    answers.flush();
    byte[] bytes = out.appended.getLast().bytes();
    List<String> read = new ArrayList<>();
    texts.reader("test", read::add).read(0, 0, ByteBuffer.wrap(bytes));
    assertThat(read).startsWith("").hasSizeBetween(1, 2);
    return bytes;
  }

  private static String read(TestQueue queue) {
    String[] read = new String[1];
    Protocol.of(Texts.class)
        .reader("test", text -> read[0] = text)
        .read(0, 0, ByteBuffer.wrap(queue.appended.getLast().bytes()));
    return read[0];
  }

  @Test
  void anAnswerCarriesTheTraceOfItsMessageOrOfTheSpanThatAnswers() {
    TestQueue out = new TestQueue();
    Output<Numbers> answers =
        new Output<>(
            NUMBERS.traced(spans.tracing()), out.queue(), 0, out.queue().appender(), clock());
    Message traced = message(writer.traced(TRACE));
    traced.makeCurrent();
    answers.calls().number(2);
    answers.flush();
    assertThat(out.last().trace()).isEqualTo(TRACE);
    answers.empty(message(writer.traced(TRACE)));
    assertThat(out.last().trace()).isEqualTo(TRACE);
    answers.failed(message(writer.traced(TRACE)), new CallFailure("e", "t"));
    assertThat(out.last().trace()).isEqualTo(TRACE);
    assertThat(out.last().failure()).isNotNull();

    message(writer.traced(TRACE)).makeCurrent();
    TraceParent component = spans.in("component", () -> answers.calls().number(2));
    answers.flush();
    assertThat(out.last().trace()).isEqualTo(component);

    message(writer).makeCurrent();
    spans.in("another", () -> answers.calls().number(2));
    answers.flush();
    assertThat(out.last().trace()).isNull();
  }

  /** The envelope of a call, at its position. */
  private Message message(Writer<Numbers> of) {
    of.calls().number(1);
    return queue.last();
  }

  private static AppendClock clock() {
    return new AppendClock(() -> Instant.EPOCH, () -> 0);
  }

  @Test
  void anAnswerWithATraceIsPartOfNoRun() {
    TestQueue out = new TestQueue();
    Output<Numbers> answers =
        new Output<>(NUMBERS, out.queue(), 0, out.queue().appender(), clock());
    answers.collectRuns();
    for (TraceParent trace : Arrays.asList(null, null, TRACE, null, null)) {
      message(writer.traced(trace)).makeCurrent();
      answers.calls().number(2);
    }
    answers.flush();
    assertThat(
            out.appended.stream().map(it -> Message.peek("out", 0, 0, ByteBuffer.wrap(it.bytes()))))
        .extracting(Message::sources, Message::trace)
        .containsExactly(tuple(2, null), tuple(1, TRACE), tuple(2, null));
  }

  private static Message with(List<Consumer<CborOutput>> values) {
    byte[] bytes =
        CborOutput.encoded(out -> {
          out.head(Cbor.ARRAY, 4);
          out.integer(0);
          out.byteString(1, 2);
          out.integer(7);
          out.head(Cbor.MAP, values.size());
          values.forEach(value -> {
            out.text(Cbor.TEXT, TraceParent.NAME);
            value.accept(out);
          });
        });
    return Message.peek("in", 0, 0, ByteBuffer.wrap(bytes));
  }

  @Test
  void aTraceThatIsNotValidIsIgnored() {
    assertThat(with(List.of(out -> out.byteString(TRACE.bytes()))).trace()).isEqualTo(TRACE);
    byte[] unsampled = TRACE.bytes();
    unsampled[24] = 0;
    List<Consumer<CborOutput>> values =
        List.of(
            out -> out.byteString(unsampled),
            out -> out.byteString(new byte[25]),
            out -> out.byteString(Arrays.copyOf(TRACE.bytes(), 24)),
            out -> out.byteString(Arrays.copyOf(TRACE.bytes(), 26)),
            out -> out.text(Cbor.TEXT, TRACE.toString()),
            out -> out.integer(25),
            out -> out.put(Cbor.NULL));
    for (Consumer<CborOutput> value : values) {
      assertThat(with(List.of(value)).trace()).isNull();
      assertThatThrownBy(() -> with(List.of(value, value)))
          .isInstanceOf(UndecodableMessage.class)
          .hasMessageContaining("a header appears twice");
    }
  }
}
