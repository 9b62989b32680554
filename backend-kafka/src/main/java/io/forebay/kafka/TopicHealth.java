/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.TopicDescription;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the cluster responds, and whether the open topics still exist. A topic that was deleted
 * and created again has another id, and its positions are meaningless to us. One thread calls the
 * methods that query the cluster; any thread may read the state.
 */
final class TopicHealth {

  private static final Logger log = LoggerFactory.getLogger(TopicHealth.class);

  /** A broker may briefly not know a topic. */
  private static final int MISSED_BEFORE_GONE = 3;

  private final Topics topics;
  private final Duration patience;
  private final Map<Topic, QueueTrouble> lost = new ConcurrentHashMap<>();

  /** Topics whose messages may still be performed. */
  private final Map<Topic, QueueTrouble> gone = new ConcurrentHashMap<>();

  private final Map<Topic, Integer> missed = new HashMap<>();
  private final Map<Topic, BooleanSupplier> usable = new ConcurrentHashMap<>();
  private volatile Instant answered = Instant.now();
  private volatile @Nullable QueueTrouble away;

  /**
   * @param patience the cluster counts as unavailable when it has not responded for this time
   */
  TopicHealth(Topics topics, Duration patience) {
    this.topics = topics;
    this.patience = patience;
  }

  /**
   * @param use whether its clients can use it; they notice a little later that the cluster is
   *     available again
   */
  void watch(Topic topic, BooleanSupplier use) {
    usable.put(topic, use);
  }

  /** Null if no problem is known. */
  @Nullable QueueTrouble trouble(Topic topic) {
    QueueTrouble own = lost.get(topic);
    QueueTrouble missing = own == null ? gone.get(topic) : own;
    return missing == null ? away : missing;
  }

  /** Whether the topic was replaced by another one; messages read from it must not be performed. */
  @Nullable QueueTrouble lost(Topic topic) {
    return lost.get(topic);
  }

  /**
   * @throws QueueUnavailable if no broker responds
   * @throws QueueFailed if the brokers refuse
   */
  void look(List<Topic> opened) {
    try {
      Map<String, @Nullable TopicDescription> told =
          topics.describe(opened.stream().map(Topic::name).toList());
      opened.forEach(topic -> compare(topic, told.get(topic.name())));
      if (away != null) {
        if (!allUsable()) {
          return; // a caller that sees no trouble appends at once
        }
        log.info("Kafka cluster available again");
      }
      answered = Instant.now();
      away = null;
    } catch (QueueUnavailable e) {
      missing(QueueRefused.Reason.UNAVAILABLE, e);
      throw e;
    } catch (QueueFailed e) {
      missing(QueueRefused.Reason.FAILED, e);
      throw e;
    }
  }

  /** Ignores deleted topics, so that they do not make other topics unavailable. */
  private boolean allUsable() {
    return usable.entrySet().stream()
        .filter(each -> !gone.containsKey(each.getKey()))
        .allMatch(each -> each.getValue().getAsBoolean());
  }

  private void missing(QueueRefused.Reason reason, RuntimeException e) {
    Instant since = answered;
    if (away == null && Duration.between(since, Instant.now()).compareTo(patience) > 0) {
      QueueTrouble trouble =
          new QueueTrouble(
              reason,
              ("%s (since %s); nothing is accepted until the brokers respond; the queue"
                      + " then resumes automatically")
                  .formatted(e.getMessage(), since.truncatedTo(ChronoUnit.SECONDS)),
              since);
      log.warn("{}", trouble.text());
      away = trouble;
    }
  }

  private void compare(Topic topic, @Nullable TopicDescription now) {
    if (now == null) {
      if (missed.merge(topic, 1, Integer::sum) >= MISSED_BEFORE_GONE) {
        tell(
            gone,
            topic,
            ("topic %s (id %s) no longer exists and its messages are lost; nothing is"
                        + " accepted or performed;")
                    .formatted(topic.name(), topic.identity())
                + " stop the service, and see docs/kafka.md, \"A topic was deleted\"");
      }
      return;
    }
    missed.remove(topic);
    String id = now.topicId().toString();
    if (id.equals(topic.identity())) {
      lost.remove(topic);
      compare(topic, now.partitions().size());
    } else {
      gone.remove(topic);
      tell(
          lost,
          topic,
          ("topic %s was deleted and created again: it has id %s, but the queue was"
                      + " opened with id %s;")
                  .formatted(topic.name(), id, topic.identity())
              + " nothing is accepted, and nothing is performed from the new topic;"
              + " stop the service, and see docs/kafka.md, \"A topic was deleted\"");
    }
  }

  /** A broker may briefly report too few partitions; the number never decreases. */
  private void compare(Topic topic, int partitions) {
    if (partitions <= topic.partitions()) {
      gone.remove(topic);
      return;
    }
    tell(
        gone,
        topic,
        ("topic %s now has %d partitions, but the queue was opened with %d, which"
                    + " cannot change while it is open;")
                .formatted(topic.name(), partitions, topic.partitions())
            + (" nothing is accepted; messages in the first %d partitions are performed,"
                    + " those in the new partitions are not;")
                .formatted(topic.partitions())
            + " see docs/kafka.md, \"Partitions were added\"");
  }

  private static void tell(Map<Topic, QueueTrouble> where, Topic topic, String text) {
    QueueTrouble before = where.get(topic);
    if (before == null || !before.text().equals(text)) {
      log.error("{}", text);
      where.put(topic, new QueueTrouble(QueueRefused.Reason.FAILED, text, Instant.now()));
    }
  }

  void forget(Topic topic) {
    usable.remove(topic);
    lost.remove(topic);
    gone.remove(topic);
  }
}
