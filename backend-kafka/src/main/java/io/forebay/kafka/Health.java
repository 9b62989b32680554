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
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.TopicDescription;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the open queues can be used: whether the cluster responds, and whether each topic still
 * exists. A topic that was deleted and created again has another id, and its positions are
 * meaningless to us. A queue that is opened while the cluster does not respond is connected later,
 * so that a service can start before its brokers. One thread asks once a second. Thread-safe.
 */
final class Health implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Health.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  /** A broker may briefly not know a topic. */
  private static final int MISSED_BEFORE_GONE = 3;

  private final Topics topics;
  private final Duration patience;
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();

  /** How often brokers did not know the topic of a queue. Only for the thread. */
  private final Map<Connection, Integer> missed = new HashMap<>();

  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-kafka-health",
          EVERY,
          new Outage(log, "Asking the Kafka cluster for topics", "it is retried every second"),
          this::look);
  private volatile Instant answered = Instant.now();
  private volatile @Nullable QueueTrouble away;
  private volatile boolean closed;

  /**
   * @param patience the cluster counts as unavailable when it has not responded for this time
   */
  Health(Topics topics, Duration patience) {
    this.topics = topics;
    this.patience = patience;
  }

  /** Why the cluster cannot be used; null if it can. */
  @Nullable QueueTrouble away() {
    return away;
  }

  /** The open queues that are connected. */
  List<Connection> connected() {
    return open.stream().filter(Connection::isMade).toList();
  }

  /**
   * Connects a queue, unless others wait for the cluster already.
   *
   * @throws StartRefused if its topic cannot be used as it is
   */
  void open(Connection queue) {
    QueueTrouble known =
        open.stream()
            .filter(it -> !it.isMade())
            .flatMap(it -> it.trouble().stream())
            .findFirst()
            .orElse(null);
    if (known != null) {
      queue.cannotBeUsed(known.reason(), known.text());
    } else if (connect(queue) instanceof IllegalStateException e) {
      throw new StartRefused(String.valueOf(e.getMessage()));
    }
    synchronized (this) {
      open.add(queue);
      if (!closed) {
        task.start();
      }
    }
  }

  /** The queue is closed. */
  void forget(Connection queue) {
    open.remove(queue);
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
    } catch (QueueUnavailable e) {
      if (queue.cannotBeUsed(QueueRefused.Reason.UNAVAILABLE, String.valueOf(e.getMessage()))) {
        log.warn("Not connected: {}: {}; retrying", queue, e.getMessage());
      }
      return e;
    } catch (RuntimeException e) { // for example, the brokers do not know this client yet
      String why =
          e instanceof QueueFailed || e instanceof IllegalStateException
              ? String.valueOf(e.getMessage())
              : e.toString();
      if (queue.cannotBeUsed(QueueRefused.Reason.FAILED, why) && !closed) {
        log.error("Not usable: {}: {}; retrying", queue, why);
      }
      return e;
    }
  }

  /**
   * @throws QueueUnavailable if no broker responds
   * @throws QueueFailed if the brokers refuse
   */
  private void look() {
    missed.keySet().retainAll(open);
    try {
      if (lookAtTopics(connected())) {
        if (away != null) {
          log.info("Kafka cluster available again");
        }
        answered = Instant.now();
        away = null;
      }
    } catch (QueueUnavailable e) {
      missing(QueueRefused.Reason.UNAVAILABLE, e);
      throw e;
    } catch (QueueFailed e) {
      missing(QueueRefused.Reason.FAILED, e);
      throw e;
    }
    for (Connection queue : open) {
      if (!queue.isMade() && connect(queue) == null) {
        log.info("Connected: {}", queue);
      }
    }
  }

  /**
   * Returns whether messages can be appended: the producers notice a little later than this client
   * that the cluster is available again. Ignores topics that are gone.
   */
  private boolean lookAtTopics(List<Connection> connected) {
    if (connected.isEmpty()) {
      return true;
    }
    Map<String, @Nullable TopicDescription> told =
        topics.describe(connected.stream().map(it -> it.topic().name()).toList());
    connected.forEach(queue -> compare(queue, told.get(queue.topic().name())));
    return away == null
        || connected.stream().allMatch(it -> it.ownTrouble() != null || it.isUsable());
  }

  private void missing(QueueRefused.Reason reason, RuntimeException e) {
    Instant since = answered;
    if (away == null && Duration.between(since, Instant.now()).compareTo(patience) > 0) {
      QueueTrouble trouble =
          new QueueTrouble(
              reason,
              ("%s (since %s); nothing is accepted until the cluster is available; the queue"
                      + " then resumes automatically")
                  .formatted(e.getMessage(), since.truncatedTo(ChronoUnit.SECONDS)),
              since);
      log.warn("{}", trouble.text());
      away = trouble;
    }
  }

  /** A broker may briefly report too few partitions; the number never decreases. */
  private void compare(Connection queue, @Nullable TopicDescription now) {
    Topic topic = queue.topic();
    if (now == null) {
      if (missed.merge(queue, 1, Integer::sum) >= MISSED_BEFORE_GONE) {
        fail(
            queue,
            ("topic %s (id %s) no longer exists and its messages are lost; nothing is accepted or"
                    + " performed; stop the service, and see docs/kafka.md, \"A topic was deleted\"")
                .formatted(topic.name(), topic.identity()));
      }
      return;
    }
    missed.remove(queue);
    String id = now.topicId().toString();
    boolean isReplaced = !id.equals(topic.identity());
    queue.isReplaced(isReplaced);
    if (isReplaced) {
      fail(
          queue,
          ("topic %s was deleted and created again: it has id %s, but the queue was opened with id"
                  + " %s; nothing is accepted, and nothing is performed from the new topic; stop the"
                  + " service, and see docs/kafka.md, \"A topic was deleted\"")
              .formatted(topic.name(), id, topic.identity()));
    } else if (now.partitions().size() > topic.partitions()) {
      fail(
          queue,
          ("topic %s now has %d partitions, but the queue was opened with %d, which cannot change"
                  + " while it is open; nothing is accepted; messages in the first %3$d partitions"
                  + " are performed, those in the new partitions are not; see docs/kafka.md,"
                  + " \"Partitions were added\"")
              .formatted(topic.name(), now.partitions().size(), topic.partitions()));
    } else {
      queue.canBeUsed();
    }
  }

  private static void fail(Connection queue, String why) {
    if (queue.cannotBeUsed(QueueRefused.Reason.FAILED, why)) {
      log.error("{}", why);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    task.close(Duration.ZERO);
  }
}
