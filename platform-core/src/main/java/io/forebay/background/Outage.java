/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.background;

import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.progress.Unavailable;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;

/**
 * Logs when repeated work begins to fail and when it works again, instead of each failure. A
 * failure of another type is logged too. Thread-safe.
 */
public final class Outage {

  private final Logger log;
  private final String what;
  private final String consequence;
  private final Set<Class<?>> logged = new HashSet<>();

  /**
   * @param what the work, as the subject of "failed", for example "Reading tokens"
   * @param consequence what happens until it works again
   */
  public Outage(Logger log, String what, String consequence) {
    this.log = log;
    this.what = what;
    this.consequence = consequence;
  }

  /**
   * The work failed. A queue or database that does not respond, and a checked exception, is logged
   * with its message as a warning; anything else is logged with its stack as an error.
   */
  public synchronized void failed(Throwable failure) {
    if (!logged.add(failure.getClass())) {
      return;
    }
    if (isExpected(failure)) {
      log.warn("{} failed: {}; {}", what, failure.getMessage(), consequence);
    } else {
      log.error("{} failed; {}", what, consequence, failure);
    }
  }

  private static boolean isExpected(Throwable failure) {
    return switch (failure) {
      case Unavailable _, QueueUnavailable _, QueueFailed _, QueueRefused _ -> true;
      case RuntimeException _, Error _ -> false;
      default -> true;
    };
  }

  /** The work succeeded. */
  public synchronized void over() {
    if (!logged.isEmpty()) {
      logged.clear();
      log.info("{} works again", what);
    }
  }
}
