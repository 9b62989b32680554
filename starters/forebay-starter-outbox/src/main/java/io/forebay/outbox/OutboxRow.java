/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

/**
 * A message in the table.
 *
 * @param service the name of the service that it calls
 * @param message as a writer of that service wrote it
 */
record OutboxRow(long id, String service, int partition, byte[] message) {

  static String name(long id) {
    return "row %d of table forebay_outbox".formatted(id);
  }
}
