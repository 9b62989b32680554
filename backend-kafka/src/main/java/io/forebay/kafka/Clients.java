/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueUnavailable;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;

/** Creates Kafka clients. */
final class Clients {

  private Clients() {}

  /**
   * Creates a client. Its constructor resolves the brokers' host names and fails if none of them
   * resolves.
   *
   * @throws QueueUnavailable if it cannot be created; retry later
   */
  static <T> T make(KafkaBackend.Options options, Supplier<T> client) {
    try {
      return client.get();
    } catch (KafkaException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new QueueUnavailable(
          "cannot create a client of the Kafka brokers %s: %s"
              .formatted(options.brokers(), cause.getMessage()),
          e);
    }
  }
}
