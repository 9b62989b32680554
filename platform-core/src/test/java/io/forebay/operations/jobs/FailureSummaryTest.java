/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailureSummaryTest {

  @Test
  void namesTheServiceAndTheInnermostCause() {
    assertThat(
            FailureSummary.of(
                """
                org.springframework.batch.core.step.FatalStepExecutionException: Unable to process chunk
                \tat org.springframework.batch.X.y(X.java:1)
                Caused by: io.forebay.chunk.CallFailed: service rates: the chunk of 3 calls failed
                Caused by: io.forebay.chunk.remote.TransportFailed: no connection to http://localhost:1
                \t... 5 more
                Caused by: java.nio.channels.ClosedChannelException
                """))
        .isEqualTo(
            "service rates: the chunk of 3 calls failed: no connection to http://localhost:1"
                + " (java.nio.channels.ClosedChannelException)");
  }

  @Test
  void aStepThatSumsUpItsPartitionsIsNotSummedUpAgain() {
    assertThat(
            FailureSummary.of(
                """
                org.springframework.batch.core.job.JobExecutionException: partition part:p2 failed: service rates: no
                io.forebay.chunk.CallFailed: service other: no
                """))
        .isEqualTo("partition part:p2 failed: service rates: no");
  }

  @Test
  void withoutAMessageOfForebayItIsTheInnermostCause() {
    assertThat(FailureSummary.of("a.b.OuterException: no\nCaused by: java.io.IOException: full"))
        .isEqualTo("java.io.IOException: full");
    assertThat(FailureSummary.of("a.b.OuterException: no\njava.sql.SQLException"))
        .isEqualTo("a.b.OuterException: no (java.sql.SQLException)");
    assertThat(FailureSummary.of("java.sql.SQLException")).isEqualTo("java.sql.SQLException");
    assertThat(FailureSummary.of("")).isEmpty();
  }
}
