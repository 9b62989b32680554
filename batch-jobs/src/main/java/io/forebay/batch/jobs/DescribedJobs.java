/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.operations.StartRefused;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.configuration.JobRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The descriptions of jobs. Refuses the start if one names no job: the parameters of the job that
 * it means would be unchecked texts.
 */
final class DescribedJobs implements SmartInitializingSingleton {

  private final JobRegistry registry;
  private final Map<String, JobDescription> descriptions;

  DescribedJobs(JobRegistry registry, ObjectProvider<JobDescription> descriptions) {
    this.registry = registry;
    this.descriptions = JobDescription.byJob(descriptions.stream());
  }

  @Nullable JobDescription get(String job) {
    return descriptions.get(job);
  }

  /**
   * @throws StartRefused with all descriptions that name no job
   */
  @Override
  public void afterSingletonsInstantiated() {
    List<String> unknown =
        descriptions.keySet().stream()
            .filter(job -> registry.getJob(job) == null)
            .map("JobDescription %s describes no job"::formatted)
            .sorted()
            .toList();
    if (!unknown.isEmpty()) {
      throw new StartRefused(
          "%s (known: %s). Give the description the name of its job"
              .formatted(String.join("; ", unknown), new TreeSet<>(registry.getJobNames())));
    }
  }
}
