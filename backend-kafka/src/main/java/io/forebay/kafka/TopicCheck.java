/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.Level;
import io.forebay.text.Formats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.TopicConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares an existing topic with what a queue needs. A setting that would lose or refuse messages
 * is an error; one that weakens a guarantee is a warning.
 *
 * @param partitions as configured
 * @param replication as configured; empty for the cluster's default
 * @param kept the minimum time messages must be kept; zero: until they are performed
 * @param retention as configured: how long messages are kept if they may be deleted before they are
 *     performed
 */
record TopicCheck(int partitions, OptionalInt replication, Duration kept, Duration retention) {

  private static final Logger log = LoggerFactory.getLogger(TopicCheck.class);
  private static final long FOR_EVER = -1;

  /** Retention depends on the brokers' clocks, and not on that of each sender. */
  static final String BROKER_TIME = "LogAppendTime";

  /**
   * @throws IllegalStateException with all errors, and the settings that correct them
   */
  Topic.Settings check(TopicDescription topic, Config config) {
    List<String> faults = new ArrayList<>();
    if (topic.partitions().size() != partitions) {
      faults.add(
          "it has %d partitions, but %d are configured; the number of an existing topic is fixed"
              .formatted(topic.partitions().size(), partitions));
    }
    faults.addAll(faults(config, replicas(topic), minInsync(config)));
    if (!faults.isEmpty()) {
      throw new IllegalStateException(
          "topic %s cannot carry a queue: %s; nothing was changed"
              .formatted(topic.name(), String.join("; ", faults)));
    }
    return settings(topic, config, List.of());
  }

  /**
   * Checks a topic that is open. Errors are only warnings then, and only new warnings are logged.
   */
  Topic.Settings again(TopicDescription topic, Config config, Topic.Settings before) {
    return settings(topic, config, before.warnings());
  }

  private Topic.Settings settings(TopicDescription topic, Config config, List<String> told) {
    int replicas = replicas(topic);
    int minInsync = minInsync(config);
    long keeps = number(config, TopicConfig.RETENTION_MS_CONFIG, FOR_EVER);
    List<String> warnings = new ArrayList<>(faults(config, replicas, minInsync));
    warnings.addAll(warnings(config, replicas, minInsync, keeps));
    warnings.stream()
        .filter(warning -> !told.contains(warning))
        .forEach(warning -> log.warn("topic {}: {}", topic.name(), warning));
    return new Topic.Settings(
        replicas >= Topics.SAFE_REPLICAS && minInsync >= Topics.SAFE_REPLICAS
            ? Level.REPLICATED
            : Level.PROCESS,
        keeps == FOR_EVER ? Optional.empty() : Optional.of(Duration.ofMillis(keeps)),
        warnings);
  }

  private static int replicas(TopicDescription topic) {
    return topic.partitions().stream().mapToInt(it -> it.replicas().size()).min().orElse(1);
  }

  private static int minInsync(Config config) {
    return (int) number(config, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, 1);
  }

  private static List<String> faults(Config config, int replicas, int minInsync) {
    List<String> faults = new ArrayList<>();
    if (text(config, TopicConfig.CLEANUP_POLICY_CONFIG)
        .contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
      faults.add("it is compacted, which would drop messages: set its cleanup.policy to delete");
    }
    long largest = number(config, TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Topics.MAX_RECORD_BYTES);
    if (largest < Topics.MAX_RECORD_BYTES) {
      faults.add(
          "it accepts records of at most %,d bytes: set its max.message.bytes to at least %,d"
              .formatted(largest, Topics.MAX_RECORD_BYTES));
    }
    if (minInsync > replicas) {
      faults.add(
          ("its min.insync.replicas is %d but it has %d replicas, so nothing can be"
                  + " acknowledged: set it to at most %d")
              .formatted(minInsync, replicas, replicas));
    }
    return faults;
  }

  private List<String> warnings(Config config, int replicas, int minInsync, long keeps) {
    List<String> warnings = new ArrayList<>();
    if (replicas < Topics.SAFE_REPLICAS) {
      warnings.add(
          "it has one replica: an accepted message survives a crash of the broker,"
              + " but not the loss of its host");
    } else if (minInsync < Topics.SAFE_REPLICAS) {
      warnings.add(
          "its min.insync.replicas is %d: an accepted message may be on one host only; set it to %d"
              .formatted(minInsync, Topics.SAFE_REPLICAS));
    }
    if (replication.isPresent() && replication.getAsInt() != replicas) {
      warnings.add(
          ("it has %d replicas, but %d are configured; that setting applies only when"
                  + " Forebay creates the topic")
              .formatted(replicas, replication.getAsInt()));
    }
    if (text(config, TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG).equals("true")) {
      warnings.add(
          "its unclean.leader.election.enable is true, which can lose accepted messages; set it to false");
    }
    Duration needed = kept.isZero() ? retention : kept;
    if (keeps != FOR_EVER && keeps < needed.toMillis()) {
      warnings.add(
          ("it deletes messages after %s, performed or not, but %s are configured, which"
                  + " apply only when Forebay creates the topic; set its retention.ms to at least %d")
              .formatted(
                  Formats.duration(keeps / 1e3), Formats.duration(needed), needed.toMillis()));
    }
    if (!text(config, TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG).equals(BROKER_TIME)) {
      warnings.add(
          "its message.timestamp.type is not LogAppendTime, so messages from a host whose clock is"
              + " behind are deleted too early; set it to LogAppendTime");
    }
    if (number(config, TopicConfig.RETENTION_BYTES_CONFIG, FOR_EVER) != FOR_EVER) {
      warnings.add(
          "its retention.bytes is set, so messages are deleted by size, whatever"
              + " their age; set it to -1");
    }
    return warnings;
  }

  private static String text(Config config, String name) {
    ConfigEntry entry = config.get(name);
    return entry == null || entry.value() == null ? "" : entry.value();
  }

  private static long number(Config config, String name, long unknown) {
    String text = text(config, name);
    return text.isEmpty() ? unknown : Long.parseLong(text);
  }
}
