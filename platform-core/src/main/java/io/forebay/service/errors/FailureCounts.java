/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides which failures are logged: of each kind the first, tenth, hundredth and so on; counting
 * starts over after an hour without failures. It tracks at most {@value #KINDS} kinds; the others
 * are counted together. Thread-safe.
 *
 * @param <K> the kinds; has equals and hashCode
 */
public final class FailureCounts<K> {

  /** The most kinds that are counted on their own. */
  public static final int KINDS = 200;

  private static final Duration FORGET_AFTER = Duration.ofHours(1);

  private final InstantSource clock;
  private final Map<Object, Counted> counts = new HashMap<>();

  public FailureCounts(InstantSource clock) {
    this.clock = clock;
  }

  private static final class Counted {
    private final Instant since;
    private Instant last;
    private long failures;
    private long next = 1;

    Counted(Instant now) {
      since = now;
      last = now;
    }

    boolean isOver(Instant now) {
      return last.plus(FORGET_AFTER).isBefore(now);
    }
  }

  /**
   * A failure that is logged.
   *
   * @param isOneOfMany whether there are too many kinds, so that this is the count of several
   * @param failures how many there were, with this one
   * @param since when the first was
   * @param next which one is logged next
   */
  public record Count(boolean isOneOfMany, long failures, Instant since, long next) {

    /** For a log, such as {@code 10 times since 2026-11-24T03:00:00Z, next log entry at 100}. */
    @Override
    public String toString() {
      return "%s since %s, next log entry at %d"
          .formatted(Formats.count(failures, "time"), since.truncatedTo(ChronoUnit.SECONDS), next);
    }
  }

  /**
   * Counts a failure.
   *
   * @return null if it is not logged
   */
  public synchronized @Nullable Count add(K kind) {
    Instant now = clock.instant();
    Object counted = kind;
    if (!counts.containsKey(kind) && counts.size() >= KINDS) {
      counts.values().removeIf(count -> count.isOver(now));
      counted = counts.size() >= KINDS ? this : kind;
    }
    Counted count =
        counts.compute(
            counted, (_, known) -> known == null || known.isOver(now) ? new Counted(now) : known);
    count.last = now;
    count.failures++;
    if (count.failures < count.next) {
      return null;
    }
    count.next *= 10;
    return new Count(counted == this, count.failures, count.since, count.next);
  }
}
