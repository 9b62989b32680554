/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.machine.Machine;
import io.forebay.queue.time.AppendClock;

/**
 * The clocks and the sleeper of a service's threads. A test may replace them, so that it need not
 * wait for a back-off. Thread-safe.
 */
public interface ServiceTime {

  /** The clocks of the system; a sleep ends early when the thread is unparked. */
  ServiceTime SYSTEM =
      new ServiceTime() {
        @Override
        public long nanos() {
          return Machine.nanos();
        }

        @Override
        public long epochNanos() {
          return AppendClock.system().nanos();
        }

        @Override
        public void sleep(long nanos) {
          Machine.park(nanos);
        }
      };

  /** A monotonic clock, in nanoseconds. */
  long nanos();

  /** The wall clock, in nanoseconds since 1970. */
  long epochNanos();

  /** Sleeps for that time, or less: the thread sleeps again if it must. */
  void sleep(long nanos);
}
