/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import java.util.Map;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * @param recover What becomes of executions whose process died: fail marks them as failed; restart
 *     also restarts them; none leaves them to an operator.
 * @param connections The most connections that jobs may open to the system database.
 * @param keep How long ended executions are kept; 0 keeps them for ever. After that, the same
 *     parameters start a job from the beginning.
 * @param keysKept How long the services that jobs call remember idempotency keys: the shortest
 *     results-kept of their gateways, and 24 h. An older keyed step is not restarted.
 * @param schedules Starts jobs at their due times, by the name of the schedule; none: jobs are
 *     started by callers only.
 * @param database Connects jobs to the system database as another role than tokens and audit, if it
 *     is a PostgreSQL; none: as the role of tokens and audit.
 */
@ConfigurationProperties("forebay.jobs")
@Validated
record JobsProperties(
    @DefaultValue("fail") Recover recover,
    @DefaultValue("8") @Min(2) @Max(200) int connections,
    @DefaultValue("0s") @DurationMin(message = "must not be negative; 0 is for ever") Duration keep,
    @DefaultValue("96h") @DurationMin(hours = 1, message = "must be at least 1h") Duration keysKept,
    @DefaultValue Map<String, Schedule> schedules,
    @Valid @Nullable Database database) {

  /**
   * One schedule. It is bound as a value of the map; the annotation only documents its properties,
   * with {@code main} as an example.
   *
   * @param job The job to start; required.
   * @param cron When it is due: second, minute, hour, day of month, month, day of week, such as 0
   *     30 1 * * MON-FRI; required.
   * @param zone The time zone of cron, such as Europe/Berlin.
   * @param parameters Parameters of the job, by name; none: only the due time.
   */
  @ConfigurationProperties("forebay.jobs.schedules.main")
  record Schedule(
      @Nullable String job,
      @Nullable String cron,
      @DefaultValue("UTC") String zone,
      @DefaultValue Map<String, String> parameters) {}

  /**
   * @param username Role to connect as; required.
   * @param password Password of the role, preferably from a file or the environment; required, may
   *     be empty.
   */
  record Database(
      @NotBlank String username,
      @NotNull(message = "must be given; empty if the role logs in without one") String password) {

    /** Omits the password. */
    @Override
    public String toString() {
      return username;
    }
  }

  enum Recover {
    NONE,
    FAIL,
    RESTART
  }
}
