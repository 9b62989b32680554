/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.prices;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.batch.ChunkingItemProcessor;
import io.forebay.test.ForebayTest;
import io.forebay.test.TestStep;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.test.JobOperatorTestUtils;
import org.springframework.batch.test.context.SpringBatchTest;
import org.springframework.beans.factory.annotation.Autowired;

/** The job and its processor under test, with queues in memory. */
@ForebayTest
@SpringBatchTest
class RepriceTest {

  @Autowired private JobOperatorTestUtils jobs;
  @Autowired private ChunkingItemProcessor<Article, Priced> pricing;

  @BeforeEach
  void theJob(@Autowired Job repriceJob) {
    jobs.setJob(repriceJob);
  }

  @Test
  void everyArticleGetsAPrice() throws Exception {
    JobExecution execution =
        jobs.startJob(
            new JobParametersBuilder()
                .addLocalDate("day", LocalDate.of(2026, 11, 23))
                .toJobParameters());

    assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(execution.getStepExecutions())
        .singleElement()
        .returns(2_000L, StepExecution::getWriteCount);
  }

  @Test
  void thePriceIsTheCostAndAMargin() throws Exception {
    assertThat(TestStep.process(pricing, List.of(new Article(1, new BigDecimal("10.00")))))
        .containsExactly(new Priced(1, new BigDecimal("12.0000")));
  }
}
