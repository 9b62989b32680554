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
import org.postgresql.util.PSQLException;
import org.springframework.batch.core.ExitStatus;
import org.springframework.dao.DuplicateKeyException;

class FailureTextTest {

  @Test
  void aDescriptionThatQuotesADatabaseIsCutAlsoWithoutAFailure() {
    ExitStatus quoting =
        ExitStatus.COMPLETED.addExitDescription(
            "one item: org.postgresql.util.PSQLException: Key (name)=(Mary)");
    assertThat(FailureText.of(quoting, List.of()).getExitDescription())
        .isEqualTo("one item: org.postgresql.util.PSQLException");
    assertThat(FailureText.of(ExitStatus.COMPLETED, List.of())).isEqualTo(ExitStatus.COMPLETED);
  }

  private static String shown(Throwable... failures) {
    return FailureText.of(ExitStatus.FAILED, List.of(failures)).getExitDescription();
  }

  @Test
  void databaseMessagesAreNotShown() {
    assertThat(
            shown(
                new IllegalStateException(
                    "Unable to process chunk",
                    new DuplicateKeyException(
                        "insert ('Mary', 17) failed",
                        new PSQLException("Key (name)=(Mary) already exists.", null)))))
        .isEqualTo(
            """
            java.lang.IllegalStateException: Unable to process chunk
            org.springframework.dao.DuplicateKeyException
            org.postgresql.util.PSQLException\
            """);
  }

  @Test
  void databaseMessagesInGatewayAndNestedExceptionsAreNotShown() {
    assertThat(
            shown(
                new IllegalStateException(
                    "no letter: org.postgresql.util.PSQLException: ERROR: (Mary)\n  Detail: (Mary)"),
                new IllegalStateException(
                    "io.forebay.jdbc.SqlFailed: CONSTRAINT (SQLState 23505): (Mary)"),
                new IllegalArgumentException("7 is too much")))
        .isEqualTo(
            """
            java.lang.IllegalStateException: no letter: org.postgresql.util.PSQLException
            java.lang.IllegalStateException: io.forebay.jdbc.SqlFailed: CONSTRAINT (SQLState 23505)
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
    assertThat(
            shown(
                new IllegalStateException(
                    "the chunk failed",
                    new IllegalArgumentException(
                        "not written: " + database.getMessage(), database)),
                new UncheckedIOException("not there", new IOException("no file"))))
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
