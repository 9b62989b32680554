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
 * @param idle what its threads do while there is nothing to do; default: back off up to 20 ms where
 *     a message ends the wait, and 1 ms where it does not
 * @param retryFrom how long it waits at first for what it needs, such as the database; doubled each
 *     time; default 50 ms
 * @param retryTo how long it waits at most; default 5 s
 */
public record ServiceOptions(
    int maxBatch, Supplier<Idle> idle, Duration retryFrom, Duration retryTo) {

  public ServiceOptions {
    if (maxBatch < 1) {
      throw new IllegalArgumentException("maxBatch is " + maxBatch + ", at least 1 is allowed");
    }
  }

  public static ServiceOptions defaults() {
    return new ServiceOptions(
        2_000,
        () -> Idle.backOff(Duration.ofMillis(20)),
        Duration.ofMillis(50),
        Duration.ofSeconds(5));
  }

  public ServiceOptions withMaxBatch(int messages) {
    return new ServiceOptions(messages, idle, retryFrom, retryTo);
  }

  public ServiceOptions withIdle(Supplier<Idle> value) {
    return new ServiceOptions(maxBatch, value, retryFrom, retryTo);
  }

  public ServiceOptions withRetry(Duration from, Duration to) {
    return new ServiceOptions(maxBatch, idle, from, to);
  }
}
