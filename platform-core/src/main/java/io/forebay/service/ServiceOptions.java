/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.linux.CpuSet;
import io.forebay.service.errors.ErrorPolicy;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Options of a service.
 *
 * @param maxBatch the most messages of a batch; default 5,000
 * @param idle how its threads wait while there is nothing to do; default {@link
 *     Idle.Strategy#BACK_OFF}: up to 100 ms if a message ends the wait, and up to 1 ms if not
 * @param cpus the CPUs on which its threads run, on Linux; default null: on any
 * @param retryFrom the first wait for something unavailable, such as the database; doubled each
 *     time; default 50 ms
 * @param retryTo the longest wait; default 5 s
 * @param onError what happens with a message whose component throws, if the service stores dead
 *     letters; default {@link ErrorPolicy#defaults()}
 * @param historyOneIn one in so many messages carries its history, chosen by its id; 1: all; 0:
 *     none; default 100. Of a later stage of a pipeline it has no effect: the first one decides
 * @param time its clocks; a test may replace those of the system
 */
public record ServiceOptions(
    int maxBatch,
    Supplier<Idle> idle,
    @Nullable CpuSet cpus,
    Duration retryFrom,
    Duration retryTo,
    ErrorPolicy onError,
    int historyOneIn,
    ServiceTime time) {

  public ServiceOptions {
    if (maxBatch < 1) {
      throw new IllegalArgumentException("maxBatch is " + maxBatch + ", minimum 1");
    }
    if (historyOneIn < 0) {
      throw new IllegalArgumentException("historyOneIn is " + historyOneIn + ", minimum 0");
    }
  }

  public static ServiceOptions defaults() {
    return new ServiceOptions(
        5_000,
        Idle.Strategy.BACK_OFF,
        null,
        Duration.ofMillis(50),
        Duration.ofSeconds(5),
        ErrorPolicy.defaults(),
        100,
        ServiceTime.SYSTEM);
  }

  public ServiceOptions withMaxBatch(int messages) {
    return new ServiceOptions(
        messages, idle, cpus, retryFrom, retryTo, onError, historyOneIn, time);
  }

  public ServiceOptions withIdle(Supplier<Idle> value) {
    return new ServiceOptions(
        maxBatch, value, cpus, retryFrom, retryTo, onError, historyOneIn, time);
  }

  public ServiceOptions withCpus(CpuSet value) {
    return new ServiceOptions(
        maxBatch, idle, value, retryFrom, retryTo, onError, historyOneIn, time);
  }

  public ServiceOptions withRetry(Duration from, Duration to) {
    return new ServiceOptions(maxBatch, idle, cpus, from, to, onError, historyOneIn, time);
  }

  public ServiceOptions withOnError(ErrorPolicy policy) {
    return new ServiceOptions(maxBatch, idle, cpus, retryFrom, retryTo, policy, historyOneIn, time);
  }

  /**
   * @throws IllegalArgumentException if it is negative
   */
  public ServiceOptions withHistoryOneIn(int messages) {
    return new ServiceOptions(maxBatch, idle, cpus, retryFrom, retryTo, onError, messages, time);
  }

  public ServiceOptions withTime(ServiceTime value) {
    return new ServiceOptions(
        maxBatch, idle, cpus, retryFrom, retryTo, onError, historyOneIn, value);
  }
}
