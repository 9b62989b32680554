/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * How a service works.
 *
 * @param maxBatch how many messages are read at once, at most; default 2,000
 * @param maxBatchBytes how many bytes the messages that are read at once have together, at most; a
 *     message that is larger is read alone; default 4 MiB
 * @param idle what its threads do while there is nothing to do; default: back off up to 20 ms where
 *     a message ends the wait, and 1 ms where it does not
 * @param retryFrom how long it waits at first for what it needs, such as the database; doubled each
 *     time; default 50 ms
 * @param retryTo how long it waits at most; default 5 s
 */
public record ServiceOptions(
    int maxBatch, int maxBatchBytes, Supplier<Idle> idle, Duration retryFrom, Duration retryTo) {

  public ServiceOptions {
    if (maxBatch < 1) {
      throw new IllegalArgumentException("maxBatch is " + maxBatch + ", at least 1 is allowed");
    }
    if (maxBatchBytes < 1) {
      throw new IllegalArgumentException(
          "maxBatchBytes is " + maxBatchBytes + ", at least 1 is allowed");
    }
  }

  public static ServiceOptions defaults() {
    return new ServiceOptions(
        2_000,
        4 << 20,
        () -> Idle.backOff(Duration.ofMillis(20)),
        Duration.ofMillis(50),
        Duration.ofSeconds(5));
  }

  public ServiceOptions withMaxBatch(int messages) {
    return new ServiceOptions(messages, maxBatchBytes, idle, retryFrom, retryTo);
  }

  public ServiceOptions withMaxBatchBytes(int bytes) {
    return new ServiceOptions(maxBatch, bytes, idle, retryFrom, retryTo);
  }

  public ServiceOptions withIdle(Supplier<Idle> value) {
    return new ServiceOptions(maxBatch, maxBatchBytes, value, retryFrom, retryTo);
  }

  public ServiceOptions withRetry(Duration from, Duration to) {
    return new ServiceOptions(maxBatch, maxBatchBytes, idle, from, to);
  }
}
