/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.schedules;

import io.forebay.batch.jobs.JobDescription;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * When a job is due, and with which parameters. Immutable.
 *
 * <p>When clocks are set forward, a due time in the hour that does not exist is left out; when they
 * are set back, a due time in the repeated hour is due twice.
 *
 * @param parameters without the due time
 * @param due the parameter that gets the due time
 * @param type the type of that parameter
 * @param latest how late a run may start
 * @param window how long after its due time it may last; null for any time
 */
record Schedule(
    String name,
    String job,
    CronExpression cron,
    ZoneId zone,
    Map<String, String> parameters,
    String due,
    JobDescription.Type type,
    Duration latest,
    @Nullable Duration window) {

  /** As whom it starts executions. */
  String starter() {
    return "schedule " + name;
  }

  /** The first due time after this one. */
  @Nullable Instant next(Instant after) {
    ZonedDateTime next = cron.next(after.atZone(zone));
    return next == null ? null : next.toInstant();
  }

  /** Whether a day has more than one due time, apart from an hour that is repeated. */
  boolean isDueSeveralTimesADay() {
    LocalDateTime first = cron.next(LocalDate.EPOCH.atStartOfDay().minusSeconds(1));
    if (first == null) {
      return false;
    }
    LocalDateTime second = cron.next(first);
    return second != null && second.toLocalDate().equals(first.toLocalDate());
  }

  /** The last due time after the first and not after the second time that may still start. */
  @Nullable Instant last(Instant after, Instant now) {
    Instant oldest = now.minus(latest);
    Instant due = next(after.isBefore(oldest) ? oldest : after);
    Instant last = null;
    while (due != null && !due.isAfter(now)) {
      last = due;
      due = next(due);
    }
    return last;
  }

  Map<String, @Nullable String> parameters(Instant time) {
    Map<String, @Nullable String> all = new LinkedHashMap<>(parameters);
    Instant whole = time.truncatedTo(ChronoUnit.SECONDS);
    all.put(
        due,
        switch (type) {
          case DATE -> whole.atZone(zone).toLocalDate().toString();
          case TIME -> whole.atZone(zone).toLocalDateTime().toString();
          case TEXT, INTEGER, DECIMAL -> whole.toString();
        });
    return all;
  }
}
