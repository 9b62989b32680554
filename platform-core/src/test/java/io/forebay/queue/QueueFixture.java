/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The queue of a contract test, and steps that the tests share. */
abstract class QueueFixture {

  /** Longer than any backend should need; a test that waits this long has failed. */
  static final Duration PATIENCE = Duration.ofSeconds(120);

  static final String QUEUE = "contract.in";

  private final MessageQueueContract backends;
  QueueBackend backend;
  MessageQueue queue;

  QueueFixture(MessageQueueContract backends) {
    this.backends = backends;
  }

  /** One message as a tailer returned it. */
  record Received(long position, String text) {}

  @BeforeEach
  void openBackend() {
    backend = backends.open();
  }

  @AfterEach
  void closeBackend() {
    backend.close();
  }

  MessageQueue openQueue(int partitions) {
    queue = backend.open(QUEUE, partitions);
    return queue;
  }

  /** Closes everything and opens the queue again, as a restart of the process does. */
  MessageQueue restart() {
    int partitions = queue.partitions();
    backend.close();
    backend = backends.reopen();
    return openQueue(partitions);
  }

  /** Whether messages outlive the backend. */
  boolean durable() {
    return queue.capabilities().strongest() != Level.MEMORY;
  }

  boolean heldByConsumers() {
    return !queue.shared();
  }

  static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  static String text(ByteBuffer message) {
    return UTF_8.decode(message.duplicate()).toString();
  }

  /** Appends a message that must be refused and returns the refusal. */
  static QueueRefused refusal(Appender appender, int partition, ByteBuffer message) {
    QueueRefused refused =
        catchThrowableOfType(QueueRefused.class, () -> appender.append(partition, message));
    assertThat(refused).as("the refusal").isNotNull();
    return refused;
  }

  /** Appends the texts to one partition and waits until they are acknowledged. */
  void send(int partition, String... texts) {
    try (Appender appender = queue.appender()) {
      for (String text : texts) {
        appender.append(partition, bytes(text));
      }
      settle(appender);
    }
  }

  /** Appends {@code prefix 0}, {@code prefix 1}, … and returns them. */
  List<String> sendMany(int partition, String prefix, int count) {
    List<String> texts = IntStream.range(0, count).mapToObj(i -> prefix + " " + i).toList();
    send(partition, texts.toArray(String[]::new));
    return texts;
  }

  static void settle(Appender appender) {
    try {
      appender.await(PATIENCE);
    } catch (Exception e) {
      throw new AssertionError("not acknowledged", e);
    }
  }

  static ConditionFactory eventually() {
    return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
  }

  /** Reads exactly {@code count} messages, waiting for a backend that delivers them later. */
  static List<Received> read(Tailer tailer, int count) {
    List<Received> received = new ArrayList<>();
    eventually()
        .until(() -> {
          tailer.poll(
              count - received.size(),
              (position, message) -> received.add(new Received(position, text(message))));
          return received.size() >= count;
        });
    assertThat(received).hasSize(count);
    return received;
  }

  /** All {@code count} positions of a partition from the first kept. */
  List<Long> positions(int partition, int count) {
    try (Tailer tailer = queue.tailer(partition)) {
      return read(tailer, count).stream().map(Received::position).toList();
    }
  }

  static List<String> texts(List<Received> received) {
    return received.stream().map(Received::text).toList();
  }
}
