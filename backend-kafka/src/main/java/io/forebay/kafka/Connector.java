/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueTrouble;
import io.forebay.queue.QueueUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects queues to the cluster: at once if it responds, otherwise by retries on a separate
 * thread, so that a service can start before its brokers. Thread-safe.
 */
final class Connector implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Connector.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final Topics topics;
  private final Map<Connection, Instant> waiting = new ConcurrentHashMap<>();
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-kafka-connect",
          EVERY,
          new Outage(log, "Connecting queues to the Kafka cluster", "it is retried every second"),
          () -> waiting.forEach(this::tryAgain));
  private volatile boolean closed;

  Connector(Topics topics) {
    this.topics = topics;
  }

  /**
   * @throws StartRefused if its topic cannot be used as it is
   */
  void connect(Connection queue) {
    Optional<QueueTrouble> known =
        waiting.keySet().stream().flatMap(it -> it.trouble().stream()).findFirst();
    if (known.isPresent()) {
      later(queue, known.get());
      return;
    }
    try {
      connectNow(queue);
    } catch (QueueUnavailable e) {
      log.warn("Not connected: {}: {}; retrying", queue, e.getMessage());
      later(queue, trouble(QueueRefused.Reason.UNAVAILABLE, e));
    } catch (QueueFailed e) { // for example, the brokers do not know this client yet
      log.error("Not usable: {}: {}; retrying", queue, e.getMessage());
      later(queue, trouble(QueueRefused.Reason.FAILED, e));
    } catch (IllegalStateException e) {
      throw new StartRefused(String.valueOf(e.getMessage()));
    }
  }

  /** The keys come first: on the thread of the start, they may open the database. */
  private void connectNow(Connection queue) {
    List<String> keys = topics.clients().options().keys().keys();
    topics.mustAnswer();
    queue.connect(keys);
  }

  private static QueueTrouble trouble(QueueRefused.Reason reason, RuntimeException e) {
    return new QueueTrouble(reason, String.valueOf(e.getMessage()), Instant.now());
  }

  private synchronized void later(Connection queue, QueueTrouble why) {
    queue.failed(why);
    waiting.put(queue, why.since());
    if (!closed) {
      task.start();
    }
  }

  private void tryAgain(Connection queue, Instant since) {
    QueueTrouble trouble;
    try {
      connectNow(queue);
      waiting.remove(queue);
      log.info("Connected: {}", queue);
      return;
    } catch (QueueUnavailable e) {
      trouble =
          new QueueTrouble(QueueRefused.Reason.UNAVAILABLE, String.valueOf(e.getMessage()), since);
    } catch (IllegalStateException | QueueFailed e) {
      trouble = new QueueTrouble(QueueRefused.Reason.FAILED, String.valueOf(e.getMessage()), since);
    } catch (RuntimeException | Error e) {
      trouble = new QueueTrouble(QueueRefused.Reason.FAILED, e.toString(), since);
    }
    boolean told =
        queue.trouble().map(QueueTrouble::text).filter(trouble.text()::equals).isPresent();
    if (!told && trouble.reason() == QueueRefused.Reason.FAILED && !closed) {
      log.error("Not usable: {}: {}; retrying", queue, trouble.text());
    }
    queue.failed(trouble);
  }

  /** The queue is closed: stops the retries. */
  void forget(Connection queue) {
    waiting.remove(queue);
  }

  @Override
  public synchronized void close() {
    closed = true;
    task.close(Duration.ZERO);
  }
}
