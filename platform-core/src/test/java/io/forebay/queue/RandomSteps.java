/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Random appends, reads, seeks, passes, gaps and restarts on one partition, compared with a list of
 * the expected messages. Messages that all consumers passed may be deleted or not; everything else
 * must match exactly.
 */
final class RandomSteps {

  private static final int TAILERS = 3;

  private final QueueFixture fixture;
  private final Random random;
  private final List<Entry> model = new ArrayList<>();
  private final List<Reader> readers = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();
  private Appender appender;
  private Tailer scribe;

  private record Entry(long position, byte[] bytes) {}

  /** A tailer, and the index in the list of the message it must hand over next. */
  private static final class Reader {
    Tailer tailer;
    int next;

    Reader(Tailer tailer) {
      this.tailer = tailer;
    }
  }

  /** A consumer, and the index in the list of the first message it still needs. */
  private static final class Member {
    Subscription subscription;
    int needs;

    Member(Subscription subscription) {
      this.subscription = subscription;
    }
  }

  private static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  RandomSteps(QueueFixture fixture, Random random) {
    this.fixture = fixture;
    this.random = random;
    appender = fixture.queue.appender();
    scribe = fixture.queue.tailer(0);
    for (int i = 0; i < TAILERS; i++) {
      readers.add(new Reader(fixture.queue.tailer(0)));
    }
    for (String consumer : List.of("one", "two")) {
      members.add(new Member(fixture.queue.subscribe(consumer, new Indifferent())));
    }
  }

  private static final class Indifferent implements PartitionListener {
    @Override
    public void assigned(int partition) {}

    @Override
    public void revoked(int partition) {}

    @Override
    public void lost(int partition) {}
  }

  void run(int steps) {
    for (int step = 0; step < steps; step++) {
      int dice = random.nextInt(1000);
      if (dice < 300) {
        append();
      } else if (dice < 650) {
        poll(anyReader());
      } else if (dice < 800) {
        seek(anyReader());
      } else if (dice < 850) {
        jump(anyReader());
      } else if (dice < 950) {
        pass(members.get(random.nextInt(members.size())));
      } else if (dice < 990) {
        seekOutside(anyReader());
      } else if (dice < 998) {
        skip();
      } else {
        restart();
      }
    }
    for (Reader reader : readers) {
      toStart(reader);
      while (reader.next < model.size()) {
        poll(reader);
      }
    }
  }

  private Reader anyReader() {
    return readers.get(random.nextInt(readers.size()));
  }

  /** The index of the first message that some consumer still needs. */
  private int needed() {
    return members.stream().mapToInt(member -> member.needs).min().orElse(0);
  }

  private void append() {
    for (int count = 1 + random.nextInt(4); count > 0; count--) {
      byte[] bytes =
          new byte[random.nextInt(20) == 0 ? random.nextInt(60_000) : random.nextInt(300)];
      random.nextBytes(bytes);
      appender.append(0, ByteBuffer.wrap(bytes));
      QueueFixture.settle(appender);
      record(bytes);
    }
  }

  private void record(byte[] bytes) {
    int before = model.size();
    while (model.size() == before) {
      scribe.poll(
          1,
          (position, message) -> {
            assertBytes(message, bytes);
            if (before > 0) {
              assertThat(position).isGreaterThan(model.getLast().position());
            }
            model.add(new Entry(position, bytes));
          });
    }
  }

  private void poll(Reader reader) {
    int max = random.nextInt(12);
    int failAt = random.nextInt(4) == 0 ? random.nextInt(12) : -1;
    int from = reader.next;
    try {
      int told =
          reader.tailer.poll(
              max, (position, message) -> take(reader, from, failAt, position, message));
      assertThat(told).isEqualTo(reader.next - from).isLessThanOrEqualTo(max);
      if (fixture.queue.capabilities().contiguous()) {
        assertThat(told).isEqualTo(Math.min(max, model.size() - from));
      }
    } catch (Refused refused) {
      assertThat(reader.next - from).isEqualTo(failAt);
    } catch (PositionOutOfRange deleted) {
      assertThat(reader.next).isLessThan(needed());
      toStart(reader);
    }
  }

  private void take(Reader reader, int from, int failAt, long position, ByteBuffer message) {
    if (reader.next - from == failAt) {
      throw new Refused();
    }
    Entry expected = model.get(reader.next);
    assertThat(position).isEqualTo(expected.position());
    assertBytes(message, expected.bytes());
    reader.next++;
  }

  private static void assertBytes(ByteBuffer message, byte[] expected) {
    byte[] bytes = new byte[message.remaining()];
    message.get(bytes);
    assertThat(Arrays.equals(bytes, expected)).isTrue();
  }

  private void seek(Reader reader) {
    if (model.isEmpty()) {
      return;
    }
    int to = random.nextInt(model.size());
    try {
      reader.tailer.seek(model.get(to).position());
      reader.next = to;
    } catch (PositionOutOfRange deleted) {
      assertThat(to).isLessThan(needed());
    }
  }

  private void jump(Reader reader) {
    if (random.nextBoolean()) {
      reader.tailer.toEnd();
      reader.next = model.size();
    } else {
      toStart(reader);
    }
  }

  /** The start is the first message kept, so it is not behind a needed one. */
  private void toStart(Reader reader) {
    reader.tailer.toStart();
    long first = reader.tailer.position();
    reader.next = 0;
    while (reader.next < model.size() && model.get(reader.next).position() < first) {
      reader.next++;
    }
    assertThat(reader.next).isLessThanOrEqualTo(needed());
  }

  private void pass(Member member) {
    member.needs += random.nextInt(1 + model.size() - member.needs);
    member.subscription.passed(
        0, member.needs < model.size() ? model.get(member.needs).position() : end());
  }

  /** The end, as a new tailer sees it. */
  private long end() {
    try (Tailer tailer = fixture.queue.tailer(0)) {
      tailer.toEnd();
      return tailer.position();
    }
  }

  /** Skips, except on queues that assign positions themselves and have their own gaps. */
  private void skip() {
    if (fixture.queue.capabilities().contiguous()) {
      fixture.queue.skipTo(0, end() + random.nextInt(50));
    }
  }

  /**
   * Restarts. A durable queue resumes with everything in place; any other has nothing to compare.
   */
  private void restart() {
    if (!fixture.durable()) {
      return;
    }
    MessageQueue queue = fixture.restart();
    appender = queue.appender();
    scribe = queue.tailer(0);
    scribe.toEnd();
    for (Reader reader : readers) {
      reader.tailer = queue.tailer(0);
      toStart(reader);
    }
    members.get(0).subscription = queue.subscribe("one", new Indifferent());
    members.get(1).subscription = queue.subscribe("two", new Indifferent());
  }

  private void seekOutside(Reader reader) {
    long before = reader.tailer.position();
    long outside = end() + 1 + random.nextInt(1000);
    assertThatThrownBy(() -> reader.tailer.seek(outside)).isInstanceOf(PositionOutOfRange.class);
    assertThat(reader.tailer.position()).isEqualTo(before);
  }
}
