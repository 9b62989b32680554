/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.service.Idle;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.threads.LongPauser;
import net.openhft.chronicle.threads.Pauser;

/** How all threads of a pipeline wait for messages, whoever runs them. */
enum PipelineWait {
  /** As in the article: retries, yields a hundred times, then sleeps from 0.5 up to 10 ms. */
  SEED {
    @Override
    Pauser pauser() {
      return new LongPauser(1, 100, 500, 10_000, TimeUnit.MICROSECONDS);
    }
  },
  /** Yields the processor again and again. */
  YIELD {
    @Override
    Pauser pauser() {
      return Pauser.yielding();
    }
  },
  /** Keeps the processor. */
  SPIN {
    @Override
    Pauser pauser() {
      return Pauser.busy();
    }
  };

  abstract Pauser pauser();

  /** The same wait, for a service of Forebay. */
  Idle idle() {
    Pauser pauser = pauser();
    return (turns, _) -> {
      if (turns == 1) {
        pauser.reset();
      }
      pauser.pause();
    };
  }

  static PipelineWait named(String name) {
    return Arrays.stream(values())
        .filter(it -> it.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst()
        .orElseThrow(() -> new UsageError("no wait '" + name + "' (seed, yield or spin)"));
  }
}
