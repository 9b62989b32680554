/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.imports;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.test.ForebayTest;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.test.JobOperatorTestUtils;
import org.springframework.batch.test.context.SpringBatchTest;
import org.springframework.beans.factory.annotation.Autowired;

@ForebayTest
@SpringBatchTest
class ImportOrdersTest {

  @TempDir private Path directory;
  @Autowired private JobOperatorTestUtils jobs;
  @Autowired private StatementClient client;

  @BeforeEach
  void theJob(@Autowired Job importJob) {
    jobs.setJob(importJob);
  }

  private Path file(String lines) throws Exception {
    return Files.writeString(directory.resolve("orders.csv"), "id,customer,amount\n" + lines);
  }

  private static JobParameters parameters(Path file) {
    return new JobParametersBuilder().addString("file", file.toString()).toJobParameters();
  }

  private long imported() throws Exception {
    Rows rows = client.executeQuery("select count(*) as orders from orders", Row.class).get();
    return (long) rows.row(0).get("orders");
  }

  @Test
  void eachRecordIsSentOnceAndWhatCannotBeReadIsRejected() throws Exception {
    Path file = file("1,ada,10.00\n2,bob,much\n3,\"cy\nand dan\",7.50\n");
    JobExecution execution = jobs.startJob(parameters(file));

    assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(execution.getStepExecutions())
        .singleElement()
        .returns(2L, StepExecution::getWriteCount)
        .returns(1L, StepExecution::getReadSkipCount);
    assertThat(imported()).isEqualTo(2);
    assertThat(directory.resolve("orders.csv.rejects")).hasContent("3: 2,bob,much");
  }
}
