/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.schedules;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;

/**
 * @param schedules Schedules of jobs by name; none: no job starts automatically.
 */
@ConfigurationProperties("forebay.jobs")
record SchedulesProperties(@DefaultValue Map<String, Entry> schedules) implements Validator {

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,99}");

  /**
   * One schedule. It is bound as a value of the map; the annotation only documents its properties,
   * with {@code main} as an example.
   *
   * @param job The job to start; required.
   * @param cron When it is due: second, minute, hour, day of month, month, day of week, such as 0
   *     30 1 * * MON-FRI; required.
   * @param zone The time zone of cron, such as Europe/Berlin.
   * @param parameters Parameters of the job, by name; none: only the due time.
   * @param due The parameter that gets the due time, which identifies the run: as a date, a local
   *     time or a text in UTC, by its type; none: due, if the job does not describe its parameters.
   * @param misfire What becomes of a due time at which no process could start the job: run-once
   *     starts it as soon as possible, of several only the last; skip does not.
   * @param misfireAge How late run-once may start a run.
   * @param window How long after its due time a run may last; an alert reports a run that will not
   *     be complete then; none: as long as it likes.
   */
  @ConfigurationProperties("forebay.jobs.schedules.main")
  record Entry(
      @Nullable String job,
      @Nullable String cron,
      @DefaultValue("UTC") String zone,
      @DefaultValue Map<String, String> parameters,
      @Nullable String due,
      @DefaultValue("run-once") Misfire misfire,
      @DefaultValue("1h") Duration misfireAge,
      @Nullable Duration window) {}

  enum Misfire {
    RUN_ONCE,
    SKIP
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == SchedulesProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    schedules.forEach(
        (name, entry) -> new Check("schedules[" + name + "]", errors).of(name, entry));
  }

  private record Check(String path, Errors errors) {

    void of(String name, Entry entry) {
      if (!NAME.matcher(name).matches()) {
        errors.rejectValue(
            path,
            "name",
            "the name of a schedule must be a lower-case letter and then up to 99 lower-case"
                + " letters, digits and hyphens");
      }
      if (entry.job() == null || entry.job().isBlank()) {
        reject("job", "must be given");
      }
      if (entry.cron() == null || !CronExpression.isValidExpression(entry.cron())) {
        reject(
            "cron",
            "must be second, minute, hour, day of month, month and day of week, such as"
                + " 0 30 1 * * MON-FRI");
      }
      if (!isZone(entry.zone())) {
        reject("zone", "must be a time zone, such as UTC or Europe/Berlin");
      }
      if (!entry.misfireAge().isPositive()) {
        reject("misfireAge", "must be positive");
      }
      if (entry.window() != null && !entry.window().isPositive()) {
        reject("window", "must be positive");
      }
    }

    private void reject(String property, String message) {
      errors.rejectValue(path + "." + property, property, message);
    }

    private static boolean isZone(String zone) {
      try {
        return !ZoneId.of(zone).getId().isEmpty();
      } catch (DateTimeException _) {
        return false;
      }
    }
  }
}
