/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.operations.StartRefused;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.batch.core.job.Job;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Refuses the start if a description names no job: the parameters of the job that it means would be
 * unchecked texts. Runs before anything is started.
 */
record DescribedJobs(ObjectProvider<Job> jobs, ObjectProvider<JobDescription> descriptions)
    implements SmartInitializingSingleton {

  /**
   * @throws StartRefused with all descriptions that name no job
   */
  @Override
  public void afterSingletonsInstantiated() {
    Set<String> names =
        jobs.stream().map(Job::getName).collect(Collectors.toCollection(TreeSet::new));
    List<String> unknown =
        descriptions.stream()
            .map(JobDescription::job)
            .filter(job -> !names.contains(job))
            .map("JobDescription %s describes no job"::formatted)
            .sorted()
            .toList();
    if (!unknown.isEmpty()) {
      throw new StartRefused(
          "%s (known: %s). Give the description the name of its job"
              .formatted(String.join("; ", unknown), names));
    }
  }
}
