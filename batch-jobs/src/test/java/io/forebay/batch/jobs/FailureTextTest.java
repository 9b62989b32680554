/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailureTextTest {

  @Test
  void aStackTraceIsShownWithoutFramesAndWithoutWhatADatabaseSays() {
    String trace =
        """
        org.springframework.batch.core.step.FatalStepExecutionException: Unable to process chunk
        \tat org.springframework.batch.core.step.item.ChunkOrientedStep.process(X.java:1)
        Caused by: org.springframework.dao.DuplicateKeyException: insert ('Mary', 17) failed
        \tat org.springframework.jdbc.X.y(X.java:2)
        \t... 5 more
        Caused by: org.postgresql.util.PSQLException: ERROR: duplicate key
          Detail: Key (name)=(Mary) already exists.
        """;
    assertThat(FailureText.of(trace))
        .isEqualTo(
            """
            org.springframework.batch.core.step.FatalStepExecutionException: Unable to process chunk
            org.springframework.dao.DuplicateKeyException
            org.postgresql.util.PSQLException\
            """);
  }
}
