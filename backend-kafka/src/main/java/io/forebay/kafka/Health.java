/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.TopicDescription;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks once a second whether the open queues can be used: whether the cluster responds, and
 * whether each topic is still the one that the queue was opened with. A queue that is opened while
 * the cluster does not respond is connected later, so that a service can start before its brokers.
 * Thread-safe.
 */
final class Health implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Health.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final Topics topics;
  private final Supplier<List<Connection>> open;
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-kafka-health",
          EVERY,
          new Outage(log, "Asking the Kafka cluster for topics", "it is retried every second"),
          this::look);

  /** Only for the thread. */
  private Instant answered = Instant.now();

  /**
   * @param open the open queues
   */
  Health(Topics topics, Supplier<List<Connection>> open) {
    this.topics = topics;
    this.open = open;
    task.start();
  }

  /** The open queues that are connected. */
  List<Connection> connected() {
    return open.get().stream().filter(Connection::isMade).toList();
  }

  /**
   * Connects a queue that is being opened, unless others wait for the cluster already.
   *
   * @throws StartRefused if its topic cannot be used as it is
   */
  void open(Connection queue) {
    Optional<QueueOutage> known = unconnected().flatMap(it -> it.outage().stream()).findFirst();
    if (known.isPresent()) {
      queue.cannotBeUsed(known.get());
    } else if (connect(queue) instanceof IllegalStateException e) {
      throw new StartRefused(String.valueOf(e.getMessage()));
    }
  }

  private Stream<Connection> unconnected() {
    return open.get().stream().filter(queue -> !queue.isMade());
  }

  /**
   * The keys come first: on the thread of the start, they may open the database.
   *
   * @return why it cannot be connected now; null if it is
   */
  private @Nullable RuntimeException connect(Connection queue) {
    try {
      List<String> keys = topics.clients().options().keys().keys();
      topics.mustAnswer();
      queue.connect(keys);
      return null;
    } catch (RuntimeException e) { // for example, the brokers do not know this client yet
      queue.cannotBeUsed(outage(e, text(e), Instant.now()));
      return e;
    }
  }

  private static QueueOutage outage(RuntimeException e, String why, Instant since) {
    QueueRefused.Reason reason =
        e instanceof QueueUnavailable
            ? QueueRefused.Reason.UNAVAILABLE
            : QueueRefused.Reason.FAILED;
    return new QueueOutage(reason, why, since);
  }

  private static String text(RuntimeException e) {
    return e instanceof QueueUnavailable
            || e instanceof QueueFailed
            || e instanceof IllegalStateException
        ? String.valueOf(e.getMessage())
        : e.toString();
  }

  /**
   * @throws QueueUnavailable if no broker responds
   * @throws QueueFailed if the brokers refuse
   */
  private void look() {
    List<Connection> connected = connected();
    try {
      if (!connected.isEmpty()) {
        Map<String, @Nullable TopicDescription> told =
            topics.describe(connected.stream().map(it -> it.topic().name()).toList());
        connected.forEach(queue -> queue.compare(told.get(queue.topic().name())));
      }
      answered = Instant.now();
    } catch (QueueUnavailable | QueueFailed e) {
      if (Duration.between(answered, Instant.now()).compareTo(KafkaBackend.REFUSE_AFTER) > 0) {
        String why =
            "%s (since %s); nothing is accepted until the cluster is available; the queue then resumes automatically"
                .formatted(e.getMessage(), answered.truncatedTo(ChronoUnit.SECONDS));
        connected.stream()
            .filter(queue -> queue.outage().isEmpty())
            .forEach(queue -> queue.cannotBeUsed(outage(e, why, answered)));
      }
      throw e;
    }
    unconnected().forEach(this::connect);
  }

  @Override
  public void close() {
    task.close(Duration.ZERO);
  }
}
