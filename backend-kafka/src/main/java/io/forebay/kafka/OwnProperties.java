/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Properties of Kafka's clients that must not be configured: those that Forebay sets itself, and
 * those that would break its guarantees.
 */
final class OwnProperties {

  private static final Map<String, String> REASONS = new HashMap<>();

  static {
    add(
        "must not be set: Forebay sets it so that no message is lost, duplicated or reordered",
        "acks",
        "enable.idempotence",
        "max.in.flight.requests.per.connection",
        "retries",
        "delivery.timeout.ms",
        "transactional.id",
        "transaction.timeout.ms",
        "transaction.two.phase.commit.enable",
        "isolation.level",
        "enable.auto.commit",
        "auto.offset.reset",
        "allow.auto.create.topics",
        "interceptor.classes");
    add(
        "must not be set: Forebay decides how its instances share the partitions",
        "group.id",
        "group.instance.id",
        "group.protocol",
        "partition.assignment.strategy");
    add(
        "must not be set here: for Forebay's groups it is a setting of the"
            + " brokers; see docs/kafka.md, \"Groups and taking over\"",
        "session.timeout.ms",
        "heartbeat.interval.ms");
    add(
        "must not be set: Forebay sets it for each of its clients",
        "client.id",
        "buffer.memory",
        "key.serializer",
        "value.serializer",
        "key.deserializer",
        "value.deserializer",
        "request.timeout.ms",
        "default.api.timeout.ms",
        "max.block.ms",
        "metadata.max.idle.ms",
        "max.request.size",
        "batch.size",
        "linger.ms",
        "fetch.max.wait.ms",
        "max.poll.records",
        "max.partition.fetch.bytes");
  }

  private OwnProperties() {}

  private static void add(String reason, String... keys) {
    for (String key : keys) {
      REASONS.put(key, reason);
    }
  }

  /** For each forbidden property among these, the reason. */
  static Map<String, String> reasons(Collection<String> keys) {
    Map<String, String> reasons = new TreeMap<>(REASONS);
    reasons.keySet().retainAll(keys);
    return reasons;
  }

  static boolean holds(Collection<String> keys) {
    return REASONS.keySet().containsAll(keys);
  }
}
