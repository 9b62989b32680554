/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.chronicle.ChronicleBackend;
import io.forebay.kafka.KafkaBackend;
import io.forebay.queue.Level;
import io.forebay.queue.QueueBackend;
import java.nio.file.Path;
import java.util.List;

/**
 * The queues of a run: a directory of Chronicle queues, or {@code kafka:servers/prefix} for topics.
 */
final class Queues {

  private static final String KAFKA = "kafka:";

  private Queues() {}

  static String kafka(String servers, String prefix) {
    return KAFKA + servers + "/" + prefix;
  }

  /** Whether several processes can use them at once. */
  static boolean shared(String where) {
    return where.startsWith(KAFKA);
  }

  /**
   * @param level the level at which Chronicle queues acknowledge
   */
  static QueueBackend open(String where, Level level) {
    if (shared(where)) {
      return KafkaBackend.open(
          KafkaBackend.Options.of(servers(where))
              .withPrefix(prefix(where))
              .withKeys(() -> List.of("a key that all processes of these tests have")));
    }
    return ChronicleBackend.open(
        Path.of(where),
        ChronicleBackend.Options.defaults().withLevel(level).withMinFree(1 << 20, 0.001));
  }

  /** The bootstrap servers of a cluster. */
  static String servers(String where) {
    return where.substring(KAFKA.length(), where.indexOf('/'));
  }

  /** The prefix of the topics. */
  static String prefix(String where) {
    return where.substring(where.indexOf('/') + 1);
  }
}
