/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobView;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The job {@code reprice}, whose execution 7 failed; in memory. */
final class RecordedJobs {

  private final JobExecutionView last =
      new JobExecutionView(
          7,
          "reprice",
          "FAILED",
          Map.of(),
          "olga",
          null,
          false,
          false,
          true,
          false,
          Instant.EPOCH,
          null,
          null,
          "",
          List.of());
  private final JobView job = new JobView("reprice", "", false, List.of(), null, last);

  /** Whose commands change nothing. */
  JobOperations operations() {
    return (JobOperations)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {JobOperations.class},
            (_, method, _) ->
                switch (method.getName()) {
                  case "jobs" -> List.of(job);
                  case "job" -> Optional.of(job);
                  case "execution" -> Optional.of(last);
                  case "executions", "failed" -> List.of();
                  default -> last;
                });
  }
}
