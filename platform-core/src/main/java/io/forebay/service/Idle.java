/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.queue.Tailer;
import java.time.Duration;

/** What a service's thread does while its queue is empty. One per thread. */
public interface Idle {

  /**
   * @param turns how many turns in a row found nothing, from 1
   * @param tailer what it waits for
   */
  void idle(int turns, Tailer tailer);

  /**
   * Spins a little, then yields, then waits twice as long each time, up to {@code longest} or as
   * long as the tailer waits.
   */
  static Idle backOff(Duration longest) {
    Duration[] waits = new Duration[32];
    for (int i = 0; i < waits.length; i++) {
      Duration doubled = Duration.ofNanos(20_000L << i);
      waits[i] = doubled.compareTo(longest) < 0 ? doubled : longest;
    }
    return (turns, tailer) -> {
      if (turns <= 20) {
        Thread.onSpinWait();
      } else if (turns <= 30) {
        Thread.yield();
      } else {
        tailer.await(waits[Math.min(turns - 31, waits.length - 1)]);
      }
    };
  }

  /** Never gives the core away: the lowest latency, for a core of its own per partition. */
  static Idle busySpin() {
    return (_, _) -> Thread.onSpinWait();
  }
}
