/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.LongSupplier;

/** The progress that a component stores with its effects. */
public final class StoredProgress implements PartitionProgress {

  private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();

  private final Resumable component;
  private final LongSupplier nanoTime;
  private final Checksum checksum = new Checksum();
  private long kept = -1;
  private long movedNanos;

  /**
   * @param nanoTime a monotonic clock
   */
  public StoredProgress(Resumable component, LongSupplier nanoTime) {
    this.component = component;
    this.nanoTime = nanoTime;
  }

  @Override
  public Resumable.Progress resume(Comparison comparison) {
    Resumable.Progress progress =
        component.resume(
            new Resumable.Start(
                comparison.tailer().partition(),
                comparison.in().partitions(),
                comparison.in().identity(),
                comparison.tailer().position(),
                comparison.passed(),
                comparison.lastAnswered()));
    kept = progress.readFrom();
    return progress;
  }

  @Override
  public int atMost(int maxBatch) {
    return component.atMost(maxBatch);
  }

  @Override
  public void performs(long position, ByteBuffer message) {
    component.performs(position, checksum.of(message));
  }

  @Override
  public void answered(long position) {
    movedNanos = nanoTime.getAsLong();
    component.answered(position);
  }

  /**
   * Makes the component store its answered position. Otherwise it would store it with its next
   * batch, which may come later than the answers are deleted.
   */
  @Override
  public void idle(long position) {
    if (kept < position && nanoTime.getAsLong() - movedNanos > IDLE_NANOS) {
      try {
        component.idle();
        kept = position;
      } catch (Unavailable e) {
        movedNanos = nanoTime.getAsLong(); // later is as good
      }
    }
  }

  @Override
  public void drained(long position) {
    component.drained();
  }
}
