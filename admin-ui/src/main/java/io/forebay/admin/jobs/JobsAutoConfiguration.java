/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.jobs;

import io.forebay.admin.AdminConfiguration;
import io.forebay.operations.Audit;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.StatementRights;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;

/** Batch jobs. */
@AdminConfiguration
class JobsAutoConfiguration {

  @Bean
  JobsController forebayJobsController(
      ObjectProvider<JobOperations> jobs,
      ObjectProvider<StatementRights> rights,
      ObjectProvider<Audit> audit) {
    return new JobsController(
        jobs.getIfAvailable(), rights(rights), audit.getIfAvailable(Audit::none));
  }

  /**
   * Who may start jobs that perform which statements; nobody without a bean. An application may
   * have one bean for jobs beside that of the door, whose type extends this one.
   */
  static StatementRights rights(ObjectProvider<StatementRights> beans) {
    StatementRights only = beans.getIfUnique();
    if (only != null) {
      return only;
    }
    List<StatementRights> all = beans.stream().toList();
    List<StatementRights> ofJobs =
        all.stream()
            .filter(it -> List.of(it.getClass().getInterfaces()).contains(StatementRights.class))
            .toList();
    if (all.isEmpty()) {
      return (_, _) -> false;
    }
    if (ofJobs.size() != 1) {
      throw new IllegalStateException(
          "There are %d beans of type StatementRights, and it is not known which one decides about jobs; mark one of them @Primary"
              .formatted(all.size()));
    }
    return ofJobs.getFirst();
  }
}
