/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

/** What goes wrong between a process and its queues. */
interface QueueFaults {

  /** Nothing goes wrong. */
  QueueFaults NONE =
      new QueueFaults() {
        @Override
        public void pause() {}

        @Override
        public long forceTakesNanos() {
          return 100_000;
        }

        @Override
        public boolean forceFails() {
          return false;
        }
      };

  /** Lets other threads run, or not. */
  void pause();

  /** How long the next force takes. */
  long forceTakesNanos();

  /** Whether the next force fails; the disk then has any part of what was to be forced. */
  boolean forceFails();
}
