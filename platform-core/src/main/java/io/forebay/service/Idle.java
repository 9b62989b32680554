/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.queue.Tailer;
import java.time.Duration;

/** How a service's thread waits while its queue is empty. One instance per thread. */
public interface Idle {

  /**
   * @param turns how many consecutive turns found nothing, from 1
   * @param tailer the tailer of the empty queue
   */
  void idle(int turns, Tailer tailer);

  /**
   * Spins briefly, then yields, then doubles the wait each time, up to {@code longest} or the
   * longest wait of the tailer.
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
}
