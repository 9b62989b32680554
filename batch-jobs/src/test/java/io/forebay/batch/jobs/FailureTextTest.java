/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.ExitStatus;

class FailureTextTest {

  @Test
  void aStackTraceIsShownWithoutFramesAndWithoutDatabaseMessages() {
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

  @Test
  void databaseMessagesInGatewayAndNestedExceptionsAreNotShown() {
    String trace =
        """
        java.lang.IllegalStateException: no letter: org.postgresql.util.PSQLException: ERROR: (Mary)
          Detail: Key (name)=(Mary) already exists.
        \tat x.Y.z(X.java:1)
        Caused by: io.forebay.jdbc.SqlFailed: CONSTRAINT (SQLState 23505): (Mary)
        Caused by: java.lang.IllegalArgumentException: 7 is too much
        """;
    assertThat(FailureText.of(trace))
        .isEqualTo(
            """
            java.lang.IllegalStateException: no letter: org.postgresql.util.PSQLException
            io.forebay.jdbc.SqlFailed: CONSTRAINT (SQLState 23505)
            java.lang.IllegalArgumentException: 7 is too much\
            """);
  }

  private static final class OtherDatabase extends SQLException {

    private static final long serialVersionUID = 1;

    private OtherDatabase() {
      super("duplicate key (name)=(Mary)");
    }
  }

  @Test
  void onlyTheNameIsShownOfAnExceptionThatRepeatsADatabaseMessage() {
    SQLException database = new OtherDatabase();
    List<Throwable> failures =
        List.of(
            new IllegalStateException(
                "the chunk failed",
                new IllegalArgumentException("not written: " + database.getMessage(), database)),
            new UncheckedIOException("not there", new IOException("no file")));
    assertThat(FailureText.of(ExitStatus.FAILED, failures).getExitDescription())
        .isEqualTo(
            """
            java.lang.IllegalStateException: the chunk failed
            java.lang.IllegalArgumentException
            io.forebay.batch.jobs.FailureTextTest$OtherDatabase
            java.io.UncheckedIOException: not there
            java.io.IOException: no file\
            """);
  }

  @Test
  void theCauseOfAnOutageIsTheInnermostExceptionWithoutAMessageOfTheDatabase() {
    assertThat(FailureText.cause(new IllegalStateException("no commit", new OtherDatabase())))
        .isEqualTo(
            "java.lang.IllegalStateException: no commit"
                + " (io.forebay.batch.jobs.FailureTextTest$OtherDatabase)");
  }
}
