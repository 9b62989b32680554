/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.service.errors.ErrorPolicy;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Options of a service.
 *
 * @param maxBatch the most messages of a batch; default 2,000
 * @param maxBatchBytes the most bytes of all messages of a batch; a larger message forms a batch
 *     alone; default 4 MiB
 * @param idle how its threads wait while there is nothing to do; default: back off up to 20 ms if a
 *     message ends the wait, and up to 1 ms if not
 * @param retryFrom the first wait for something unavailable, such as the database; doubled each
 *     time; default 50 ms
 * @param retryTo the longest wait; default 5 s
 * @param onError what happens with a message whose component throws, if the service stores dead
 *     letters; default {@link ErrorPolicy#defaults()}
 * @param time its clocks; a test may replace those of the system
 */
public record ServiceOptions(
    int maxBatch,
    int maxBatchBytes,
    Supplier<Idle> idle,
    Duration retryFrom,
    Duration retryTo,
    ErrorPolicy onError,
    ServiceTime time) {

  public ServiceOptions {
    if (maxBatch < 1) {
      throw new IllegalArgumentException("maxBatch is " + maxBatch + ", minimum 1");
    }
    if (maxBatchBytes < 1) {
      throw new IllegalArgumentException("maxBatchBytes is " + maxBatchBytes + ", minimum 1");
    }
  }

  public static ServiceOptions defaults() {
    return new ServiceOptions(
        2_000,
        4 << 20,
        () -> Idle.backOff(Duration.ofMillis(20)),
        Duration.ofMillis(50),
        Duration.ofSeconds(5),
        ErrorPolicy.defaults(),
        ServiceTime.SYSTEM);
  }

  public ServiceOptions withMaxBatch(int messages) {
    return new ServiceOptions(messages, maxBatchBytes, idle, retryFrom, retryTo, onError, time);
  }

  public ServiceOptions withMaxBatchBytes(int bytes) {
    return new ServiceOptions(maxBatch, bytes, idle, retryFrom, retryTo, onError, time);
  }

  public ServiceOptions withIdle(Supplier<Idle> value) {
    return new ServiceOptions(maxBatch, maxBatchBytes, value, retryFrom, retryTo, onError, time);
  }

  public ServiceOptions withRetry(Duration from, Duration to) {
    return new ServiceOptions(maxBatch, maxBatchBytes, idle, from, to, onError, time);
  }

  public ServiceOptions withOnError(ErrorPolicy policy) {
    return new ServiceOptions(maxBatch, maxBatchBytes, idle, retryFrom, retryTo, policy, time);
  }

  public ServiceOptions withTime(ServiceTime value) {
    return new ServiceOptions(maxBatch, maxBatchBytes, idle, retryFrom, retryTo, onError, value);
  }
}
