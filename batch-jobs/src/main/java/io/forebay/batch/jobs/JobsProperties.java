/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param recover What becomes of executions whose process died: fail marks them as failed, for an
 *     operator to restart; restart also restarts them; none leaves them to an operator.
 * @param lease How long a process that does not reach the system database counts as alive; after
 *     that its executions may be recovered. From 2s to 10m.
 * @param connections How many connections to the system database jobs use at most.
 * @param statementTimeout How long a statement of a job may take if the system database is a
 *     PostgreSQL; after that its connection is closed. From 1s to 1h.
 * @param keep How long a job instance and its executions are kept after it ended, including failed
 *     and stopped ones; 0 keeps them for ever. A deleted instance can be started again with the
 *     same parameters, and starts from the beginning.
 */
@ConfigurationProperties("forebay.jobs")
@Validated
record JobsProperties(
    @DefaultValue("fail") Recover recover,
    @DefaultValue("20s") Duration lease,
    @DefaultValue("8") @Min(2) @Max(200) int connections,
    @DefaultValue("60s") Duration statementTimeout,
    @DefaultValue("0s") Duration keep)
    implements Validator {

  private static final Duration SHORTEST = Duration.ofSeconds(2);
  private static final Duration LONGEST = Duration.ofMinutes(10);
  private static final Duration SHORTEST_STATEMENT = Duration.ofSeconds(1);
  private static final Duration LONGEST_STATEMENT = Duration.ofHours(1);

  enum Recover {
    NONE,
    FAIL,
    RESTART
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == JobsProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    if (lease.compareTo(SHORTEST) < 0 || lease.compareTo(LONGEST) > 0) {
      errors.rejectValue("lease", "range", "must be from 2s to 10m");
    }
    if (keep.isNegative()) {
      errors.rejectValue("keep", "range", "must not be negative; 0 is for ever");
    }
    if (statementTimeout.compareTo(SHORTEST_STATEMENT) < 0
        || statementTimeout.compareTo(LONGEST_STATEMENT) > 0) {
      errors.rejectValue("statementTimeout", "range", "must be from 1s to 1h");
    }
  }
}
