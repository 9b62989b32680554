/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.batch.Failure.Step;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What follows from an error by the step in which a transaction failed. */
class FailureTest {

  private static Failure failure(Step step, String sqlState) {
    return new Failure(step, new SQLException("for a test", sqlState), true, 1);
  }

  /** The steps in which an error is of a kind. */
  private static Set<Step> steps(String sqlState, Predicate<Failure> kind) {
    return EnumSet.allOf(Step.class).stream()
        .filter(step -> kind.test(failure(step, sqlState)))
        .collect(Collectors.toSet());
  }

  @Test
  void anErrorOfTheDatabaseMayPassInEachStepAndOneOfAStatementInNone() {
    for (String sqlState : Set.of("40001", "08006", "53300", "55P03")) {
      assertThat(steps(sqlState, Failure::mayPass)).hasSize(Step.values().length);
    }
    assertThat(steps("23505", Failure::mayPass)).isEmpty();
  }

  @Test
  void aTimeOutOnTheTablesOfTheLedgerIsNoneOfTheStatement() {
    assertThat(steps("57014", Failure::mayPass)).containsOnly(Step.BEGIN, Step.KEEP);
  }

  @Test
  void theLedgerIsDamagedIfItsOwnStatementsHaveErrorsOfClass42() {
    assertThat(steps("42P01", Failure::isOfLedger)).containsOnly(Step.LOCK, Step.BEGIN, Step.KEEP);
    assertThat(steps("22021", Failure::isOfLedger)).isEmpty();
  }

  @Test
  void theSessionStaysOnlyAfterAnErrorOfAStatement() {
    assertThat(steps("23505", Failure::leavesSession)).containsOnly(Step.STATEMENTS);
    assertThat(steps("40001", Failure::leavesSession)).isEmpty();
    assertThat(steps("XX000", Failure::leavesSession)).isEmpty();
  }

  @Test
  void aStatementThatTakesTooLongDoesNotFailByItself() {
    for (String sqlState : Set.of("23505", "22003", "42P01")) {
      assertThat(steps(sqlState, Failure::isOfStatement)).contains(Step.STATEMENTS);
    }
    for (String sqlState : Set.of("57014", "40001", "55P03", "08006")) {
      assertThat(steps(sqlState, Failure::isOfStatement)).doesNotContain(Step.STATEMENTS);
    }
  }

  @Test
  void theVerdictSaysWhatCouldNotBeDone() {
    assertThat(failure(Step.STATEMENTS, "23505").verdict(2).kind())
        .isEqualTo(SqlFailure.Kind.CONSTRAINT);
    assertThat(failure(Step.BEGIN, "22021").verdict(2).message())
        .contains("could not be looked up");
    assertThat(failure(Step.KEEP, "22021").verdict(2).message()).contains("could not be written");
    assertThat(failure(Step.KEEP, "40001").verdict(30).message()).contains("failed 30 times");
  }
}
