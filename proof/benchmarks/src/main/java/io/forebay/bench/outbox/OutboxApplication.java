/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.outbox;

/** An application with an outbox in its database, whose messages are handed over to a target. */
public interface OutboxApplication {

  /** A message of about 200 bytes. */
  record Order(long id, String customer, String text) {

    static Order of(long id) {
      return new Order(id, "customer-" + id % 1_000, "a kettle of copper ".repeat(9));
    }
  }

  /** Sends a message in the current transaction. */
  void send(long id);

  /** Hands over nothing until the application is started again, unless its settings say so. */
  default void hold() {}

  /** Hands over the messages, unless the application does that by itself. */
  default void handOver() {}

  /** How many messages were handed over to the target. */
  long handedOver();

  /** A query for the number of messages that are not handed over. */
  String waiting();
}
