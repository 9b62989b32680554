/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.background;

import io.forebay.queue.Tailer;
import io.forebay.service.Idle;
import java.time.Duration;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets a thread that reads results wait at most 1 ms while a result is expected, and sleep while
 * none is. {@link #expects} may be called by any thread.
 */
public final class ExpectingIdle implements Idle {

  private static final Duration LONGEST_IDLE = Duration.ofMillis(1);
  private static final Duration LONGEST_REST = Duration.ofMillis(500);
  private static final int TURNS_BEFORE_REST = 100;

  private final IntSupplier expected;
  private final Idle backOff = Idle.backOff(LONGEST_IDLE);

  /** The tailer on which the thread sleeps. */
  private volatile @Nullable Tailer resting;

  /**
   * @param expected how many results are expected
   */
  public ExpectingIdle(IntSupplier expected) {
    this.expected = expected;
  }

  /** Ends the sleep of the thread; to be called after a result was added to the expected ones. */
  public void expects() {
    Tailer asleep = resting;
    if (asleep != null) {
      asleep.wake();
    }
  }

  @Override
  public void idle(int turns, Tailer tailer) {
    if (turns <= TURNS_BEFORE_REST || expected.getAsInt() > 0) {
      backOff.idle(turns, tailer);
      return;
    }
    resting = tailer;
    try {
      if (expected.getAsInt() == 0) {
        tailer.await(LONGEST_REST);
      }
    } finally {
      resting = null;
    }
  }
}
