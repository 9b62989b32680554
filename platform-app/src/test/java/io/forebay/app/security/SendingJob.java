/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import io.forebay.batch.JobSteps;
import io.forebay.batch.jobs.JobDescription;
import io.forebay.batch.jobs.JobDescription.Parameter;
import io.forebay.batch.jobs.JobDescription.Type;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** The job {@code send}, which performs a statement that its starter chooses. */
@TestConfiguration(proxyBeanMethods = false)
class SendingJob {

  @Bean
  JobDescription sendDescription() {
    return JobDescription.of("send", "Performs a statement.")
        .with(Parameter.required("statement", Type.TEXT, "The name of the statement."))
        .with(Parameter.required("run", Type.TEXT, "Names the run."))
        .performing("statement");
  }

  @Bean
  Job send(JobSteps steps) {
    return steps
        .job("send")
        .start(steps.tasklet("send", (_, _) -> RepeatStatus.FINISHED).build())
        .build();
  }
}
