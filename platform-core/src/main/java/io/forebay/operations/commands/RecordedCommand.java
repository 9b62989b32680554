/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.commands;

import io.forebay.operations.Audit;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The texts of an audit entry that have several parts. */
public final class RecordedCommand {

  private RecordedCommand() {}

  /** {@code 1 message} or {@code 1,252 messages}. */
  public static String messages(int count) {
    return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? "message" : "messages");
  }

  /**
   * The target of the start of a job.
   *
   * @param parameters may be empty
   */
  public static String started(String job, Map<String, ? extends @Nullable String> parameters) {
    return parameters.isEmpty() ? job : job + " " + parameters;
  }

  /** The outcome of a pause that another one prevents. */
  public static String alreadyPaused(String by, Instant since) {
    return "refused: already paused by %s since %s"
        .formatted(by, since.truncatedTo(ChronoUnit.SECONDS));
  }

  /** The outcome of a limit. */
  public static String limited(int perSecond) {
    return String.format(Locale.ROOT, "%s, %,d per second", Audit.ALLOWED, perSecond);
  }

  /** The outcome of a command that is in effect until a time. */
  public static String until(String outcome, Instant until) {
    return outcome + ", until " + until.truncatedTo(ChronoUnit.SECONDS);
  }
}
