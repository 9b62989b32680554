/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.queue.Tailer;
import java.time.Duration;
import java.util.function.Supplier;

/** How a service's thread waits while its queue is empty. One instance per thread. */
public interface Idle {

  /**
   * @param turns how many consecutive turns found nothing, from 1
   * @param tailer the tailer of the empty queue
   */
  void idle(int turns, Tailer tailer);

  /** The ways to wait, in the order of how much CPU time they take. */
  enum Strategy implements Supplier<Idle> {
    /**
     * {@link Idle#backOff}, up to 100 ms: almost no CPU time, about a millisecond to notice a
     * message.
     */
    BACK_OFF(() -> Idle.backOff(Duration.ofMillis(100))),
    /** Spins briefly, then lets other threads run. Keeps a CPU busy that nothing else needs. */
    YIELD(() ->
        (turns, _) -> {
          if (turns <= 100) {
            Thread.onSpinWait();
          } else {
            Thread.yield();
          }
        }),
    /** Only spins. Keeps a CPU busy, whatever else needs it. */
    SPIN(() -> (_, _) -> Thread.onSpinWait());

    private final Supplier<Idle> made;

    Strategy(Supplier<Idle> made) {
      this.made = made;
    }

    @Override
    public Idle get() {
      return made.get();
    }
  }

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
