/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.forebay.call.value.Aliases;
import io.forebay.call.value.Json;
import io.forebay.queue.QueueRefused;
import io.forebay.trace.RecordedSpans;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The allocations of a call, without those of its caller. */
class AllocationTest {

  private static final int WARM_UP = 50_000;
  private static final int CALLS = 200_000;

  record Part(int a, boolean b, float c, double d, String e) {}

  interface Mixed {
    void numbers(boolean a, byte b, short c, int d, long e, float f, double g);

    void values(String query, Object... args);

    void parts(Part part, List<Part> parts);
  }

  private static final Protocol<Mixed> PROTOCOL =
      Protocol.of(Mixed.class, Aliases.none().with("part", Part.class));

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final TestQueue queue = new TestQueue();
  private final Writer<Mixed> writer = PROTOCOL.writer(queue.queue());
  private final Mixed calls = writer.calls();

  @BeforeEach
  void keepNothing() {
    queue.keeping = false;
  }

  @AfterEach
  void clear() {
    Message.clear();
  }

  private double bytesPerCall(Runnable call) {
    for (int i = 0; i < WARM_UP; i++) {
      call.run();
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < CALLS; i++) {
      call.run();
    }
    return (threads.getCurrentThreadAllocatedBytes() - before) / (double) CALLS;
  }

  /** Reading the wall clock once a second may allocate an object or two. */
  private void assertAllocatesNothing(Runnable call) {
    assertThat(bytesPerCall(call)).isLessThan(0.1);
  }

  @Test
  void aCallWithNumbersAllocatesNothing() {
    assertAllocatesNothing(() -> calls.numbers(true, (byte) 1, (short) 2, 3, 1L << 40, 5.5f, 6.6));
  }

  @Test
  void aCallWithoutASampledSpanAllocatesNothing() {
    try (RecordedSpans spans = new RecordedSpans(Sampler.alwaysOff());
        Writer<Mixed> traced = PROTOCOL.traced(spans.tracing()).writer(queue.queue())) {
      Runnable call =
          () -> traced.calls().numbers(true, (byte) 1, (short) 2, 3, 1L << 40, 5.5f, 6.6);
      assertAllocatesNothing(call);
      spans.in("caller", () -> assertAllocatesNothing(call));
    }
  }

  @Test
  void aCallWithObjectsAllocatesNothing() {
    Object[] args = {
      null,
      true,
      1_000_000,
      1L << 40,
      1.5f,
      2.5,
      "text of a customer",
      "Länge, 日本語, 🚀",
      new byte[20],
      UUID.randomUUID(),
      LocalDate.of(2025, 1, 1),
      LocalTime.of(12, 0, 0, 1),
      LocalDateTime.of(2025, 1, 1, 12, 0, 0, 123_000_000),
      OffsetDateTime.parse("2025-01-01T12:00:00.123+01:00"),
      new Json("{}"),
      Part.class,
      List.of(1_000L, List.of("a"))
    };
    assertAllocatesNothing(() -> calls.values("insert into orders values (?)", args));
  }

  @Test
  void aCallWithRecordsAllocatesNothing() {
    Part part = new Part(1_000_000, true, 1.5f, 2.5, "text");
    List<Part> parts = List.of(part, part);
    Object[] args = {part};
    assertAllocatesNothing(() -> {
      calls.parts(part, parts);
      calls.values("insert", args);
    });
  }

  @Test
  void aTextThatIsNewEachTimeAllocatesNothing() {
    String[] texts = new String[10_000];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = "select %d from orders".formatted(i);
    }
    Object[] none = {};
    int[] next = {0};
    assertAllocatesNothing(() -> calls.values(texts[next[0]++ % texts.length], none));
  }

  @Test
  void decimalNumbersAndInstantsAllocateLittle() {
    Object[] args = {new BigDecimal("12345.67"), Instant.parse("2025-01-01T12:00:00Z")};
    assertThat(bytesPerCall(() -> calls.values("insert", args))).isLessThan(300);
  }

  @Test
  void aMessageThatIsTooLargeIsNotBuiltFirst() {
    TestQueue small = new TestQueue(1, 5_000);
    Object[] args = {new byte[50_000_000]};
    try (Writer<Mixed> refused = PROTOCOL.writer(small.queue())) {
      long before = threads.getCurrentThreadAllocatedBytes();
      assertThatThrownBy(() -> refused.calls().values("insert", args))
          .isInstanceOf(QueueRefused.class);
      assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000_000);
    }
  }

  @Test
  void anAnswerAllocatesNothing() {
    Protocol<Results> results = Protocol.of(Results.class);
    Message[] messages = new Message[WARM_UP + CALLS];
    for (int i = 0; i < messages.length; i++) {
      messages[i] = Message.of(0, i, Foreign.ID, Instant.EPOCH);
    }
    int[] next = {0};
    try (Output<Results> output = results.output(queue.queue(), 0)) {
      assertAllocatesNothing(() -> {
        messages[next[0]++].makeCurrent();
        output.calls().updateResult(1L << 40);
      });
    }
  }

  @Test
  void readingAllocatesTheMessageAndItsValues() {
    queue.keeping = true;
    calls.values("insert into orders values (?)", 1_000L);
    ByteBuffer message = ByteBuffer.wrap(queue.appended.getFirst().bytes());
    CallReader<Mixed> reader =
        PROTOCOL.reader(
            "in",
            new Mixed() {
              @Override
              public void numbers(boolean a, byte b, short c, int d, long e, float f, double g) {}

              @Override
              public void values(String query, Object... args) {}

              @Override
              public void parts(Part part, List<Part> parts) {}
            });
    // The message 56 bytes, the array 24, the number 24.
    assertThat(bytesPerCall(() -> reader.read(0, 0, message))).isLessThan(105);
    assertThat(bytesPerCall(() -> Message.peek("in", 0, 0, message))).isLessThan(200);
  }
}
