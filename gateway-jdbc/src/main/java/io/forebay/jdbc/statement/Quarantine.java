/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import org.jspecify.annotations.Nullable;

/**
 * Lets a partition that may end the process perform while no other partition of the process does.
 * Then the end of the process is the fault of this one. Thread-safe.
 */
public final class Quarantine {

  private @Nullable Object suspect;
  private int performing;

  /**
   * @param alone whether the partition may end the process; it is the next one then, as soon as the
   *     others have left, unless another one is
   * @return false if it has to try again later
   */
  public synchronized boolean enter(Object partition, boolean alone) {
    if (suspect != null && suspect != partition) {
      return false;
    }
    if (alone) {
      suspect = partition;
    }
    if (alone && performing > 0) {
      return false;
    }
    performing++;
    return true;
  }

  /** Ends what {@link #enter} allowed. */
  public synchronized void leave(Object partition) {
    performing--;
    giveUp(partition);
  }

  /** The partition is not the next one any more. */
  public synchronized void giveUp(Object partition) {
    if (suspect == partition) {
      suspect = null;
    }
  }
}
