/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.schedule.Schedule;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * The due times of a cron expression in a time zone. A time in the hour that daylight saving
 * repeats is due twice. Times in the hour that it leaves out are due once, at the end of that hour.
 */
record DueTimes(CronExpression cron, ZoneId zone) implements Schedule {

  /**
   * The first due time after a time.
   *
   * @throws IllegalArgumentException if there is none
   */
  Instant next(Instant after) {
    ZoneRules rules = zone.getRules();
    ZoneOffset offset = rules.getOffset(after);
    LocalDateTime from = LocalDateTime.ofInstant(after, offset);
    ZoneOffsetTransition change = rules.nextTransition(after);
    while (true) {
      LocalDateTime due = due(from);
      if (change == null || due.isBefore(change.getDateTimeBefore())) {
        return due.toInstant(offset);
      }
      if (change.isGap() && due.isBefore(change.getDateTimeAfter())) {
        return change.getInstant();
      }
      offset = change.getOffsetAfter();
      from = change.getDateTimeAfter().minusNanos(1);
      change = rules.nextTransition(change.getInstant());
    }
  }

  private LocalDateTime due(LocalDateTime after) {
    @Nullable LocalDateTime due = cron.next(after);
    if (due == null) {
      throw new IllegalArgumentException("cron %s is never due".formatted(cron));
    }
    return due;
  }

  /** The last due time until now, if the first one that was missed is known. */
  Instant last(Instant first, Instant now) {
    Instant last = first;
    for (Instant next = next(first); !next.isAfter(now); next = next(next)) {
      last = next;
    }
    return last;
  }

  @Override
  public Instant getNextExecutionTime(ExecutionComplete complete) {
    return next(complete.getTimeDone());
  }

  @Override
  public boolean isDeterministic() {
    return true;
  }
}
