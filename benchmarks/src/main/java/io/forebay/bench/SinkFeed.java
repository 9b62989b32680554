/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

/** Appends rows to a topic, each by its number; the same number always gives the same row. */
interface SinkFeed extends AutoCloseable {

  /** Appends a row that says it was sent now. Waits while there is no room for it. */
  void send(long number);

  /** Waits until the broker has acknowledged all of them. */
  void flush();

  @Override
  void close();
}
