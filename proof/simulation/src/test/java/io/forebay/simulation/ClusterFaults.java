/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

/** What goes wrong between a process and the brokers. */
interface ClusterFaults {

  /** Nothing goes wrong. */
  ClusterFaults NONE =
      new ClusterFaults() {
        @Override
        public void pause() {}

        @Override
        public long roundTripNanos() {
          return 0;
        }

        @Override
        public boolean answerIsLost() {
          return false;
        }
      };

  /** Lets other threads run, or not. */
  void pause();

  long roundTripNanos();

  /** Whether the brokers did what was asked for, but their answer does not arrive. */
  boolean answerIsLost();
}
