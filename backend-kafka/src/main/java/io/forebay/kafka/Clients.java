/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueUnavailable;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;

/** How Kafka's clients are made. */
final class Clients {

  private Clients() {}

  /**
   * Makes a client. It looks its brokers' names up while it is made, and gives up if none of them
   * is known at that moment.
   *
   * @throws QueueUnavailable if it cannot be made; it is to be tried again
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
