/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import io.forebay.call.CallFailure;
import io.forebay.call.UndecodableMessage;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs the calls of a service that fail, by exception and the line that threw it, at a decaying
 * rate; see {@link FailureCounts}. Thread-safe.
 */
public final class CallLog {

  private static final Logger log = LoggerFactory.getLogger(CallLog.class);

  private final FailureCounts<Kind> counts;

  /**
   * @param where null if it is unknown
   */
  private record Kind(boolean retried, String error, @Nullable StackTraceElement where) {

    static Kind of(boolean retried, Throwable thrown) {
      StackTraceElement[] stack = thrown.getStackTrace();
      return new Kind(retried, thrown.getClass().getName(), stack.length == 0 ? null : stack[0]);
    }
  }

  public CallLog(InstantSource clock) {
    counts = new FailureCounts<>(clock);
  }

  /** A call failed and is retried. */
  public void retried(String what, Throwable thrown) {
    FailureCounts.Count count = counts.add(Kind.of(true, thrown));
    if (count != null) {
      log.warn("Call failed: {}; it is retried ({})", what, count);
    }
  }

  /**
   * A call became a dead letter.
   *
   * @param expected whether it is logged without its stack trace
   */
  public void deadLetter(String what, Throwable thrown, boolean expected) {
    FailureCounts.Count count = counts.add(Kind.of(false, thrown));
    if (count == null) {
      return;
    }
    if (expected) {
      deadLetter(Level.WARN, "%s (%s)".formatted(what, thrown.getMessage()), null, count);
    } else {
      deadLetter(Level.ERROR, what, thrown, count);
    }
  }

  /** A message that cannot be decoded became a dead letter. */
  public void deadLetter(UndecodableMessage message) {
    FailureCounts.Count count =
        counts.add(new Kind(false, CallFailure.UNDECODABLE + message.reason(), null));
    if (count != null) {
      deadLetter(Level.ERROR, message.getMessage(), null, count);
    }
  }

  private static void deadLetter(
      Level level, @Nullable String what, @Nullable Throwable thrown, FailureCounts.Count count) {
    log.atLevel(level)
        .setCause(thrown)
        .log("Dead letter: {}; the service continues with the next message ({})", what, count);
  }
}
