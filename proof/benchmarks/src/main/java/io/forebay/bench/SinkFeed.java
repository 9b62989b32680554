/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

/** Appends numbered rows to a topic; the same number always gives the same row. */
interface SinkFeed extends AutoCloseable {

  /** Appends a row with the present time as its send time. Waits while there is no room. */
  void send(long number);

  /** Waits until the broker has acknowledged all rows. */
  void flush();

  @Override
  void close();
}
