/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.batch.Failure.Step;
import io.forebay.jdbc.batch.Suspicion.Level;
import io.forebay.jdbc.batch.Suspicion.Next;
import io.forebay.jdbc.batch.Suspicion.Others;
import io.forebay.jdbc.batch.Suspicion.Retry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Every level, with every failure in every step, and every answer of the database. */
class SuspicionTest {

  private static final int LIMIT = 5;
  private static final long END = 100;
  private static final SqlFailure REASON =
      new SqlFailure("HY008", 0, SqlFailure.Kind.GIVEN_UP, "for a test");

  /** A case: what there was, what failed, and what other sessions could do. */
  private record Case(Suspicion before, Failure failure, Others others) {

    Next next() {
      return before.failed(failure, () -> others, LIMIT);
    }

    boolean raises() {
      return !failure.isOfNoMessage()
          && (before.level() == Level.TOGETHER || others == Others.WRITE && !failure.isOfLedger());
    }
  }

  private static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (Level level : Level.values()) {
      for (int tries = 0; tries < LIMIT; tries++) {
        Suspicion before =
            level == Level.TOGETHER
                ? Suspicion.NONE
                : new Suspicion(
                    level, END, tries, level.compareTo(Level.FAILS) < 0 ? null : REASON);
        for (Step step : Step.values()) {
          for (String state : List.of("22021", "42703", "40001", "08006", "57014", "XX000")) {
            for (boolean ofOneMessage :
                before.isOfOneMessage() ? new boolean[] {true} : new boolean[] {true, false}) {
              for (Others others : Others.values()) {
                Failure failure =
                    new Failure(step, new SQLException("for a test", state), ofOneMessage, END);
                cases.add(new Case(before, failure, others));
              }
            }
          }
        }
      }
    }
    return cases;
  }

  private static void each(BiConsumer<Case, Next> check) {
    List<Case> cases = cases();
    assertThat(cases).hasSize((2 * 2 + 4) * LIMIT * Step.values().length * 6 * 3);
    cases.forEach(one -> check.accept(one, one.next()));
  }

  private static int rank(Suspicion suspicion) {
    return suspicion.level().ordinal() * 100 + suspicion.tries();
  }

  @Test
  void aFailureRaisesTheLevelUnlessNobodyCanWrite() {
    each((one, next) -> {
      boolean nothingLeft =
          one.before().level() == Level.FAILS_UNLISTED && next.retry() == Retry.REPAIRED;
      if (one.raises() && !nothingLeft) {
        assertThat(rank(next.suspicion())).as("%s", one).isGreaterThan(rank(one.before()));
      } else {
        assertThat(rank(next.suspicion())).as("%s", one).isLessThanOrEqualTo(rank(one.before()));
      }
    });
  }

  @Test
  void anAttemptThatDoesNotWaitHasAHigherLevel() {
    each((one, next) -> {
      if (next.retry() == Retry.AT_ONCE) {
        assertThat(rank(next.suspicion())).as("%s", one).isGreaterThan(rank(one.before()));
      }
    });
  }

  @Test
  void whatMayPassIsTriedAgainAfterAPauseAndWhatComesAgainAtOnce() {
    each((one, next) -> {
      boolean sameLevel =
          next.others() == Others.WRITE && next.suspicion().level() == one.before().level();
      if (one.failure().isOfNoMessage()) {
        assertThat(next.retry())
            .as("%s", one)
            .isEqualTo(one.failure().isOfLedger() ? Retry.REPAIRED : Retry.LATER);
      } else if (one.before().level() == Level.TOGETHER || sameLevel) {
        assertThat(next.retry() == Retry.AT_ONCE).as("%s", one).isEqualTo(!one.failure().mayPass());
      }
    });
  }

  @Test
  void aMessageFailsOnlyAloneAndWhileOthersCanWriteAndWithAReason() {
    each((one, next) -> {
      Suspicion after = next.suspicion();
      assertThat(after.fails()).as("%s", one).isEqualTo(after.reason() != null);
      if (after.fails() && !one.before().fails()) {
        assertThat(one.failure().ofOneMessage()).as("%s", one).isTrue();
        assertThat(next.others()).as("%s", one).isEqualTo(Others.WRITE);
        assertThat(one.before().tries() + 1)
            .isGreaterThanOrEqualTo(one.failure().mayPass() ? LIMIT : 2);
      }
    });
  }

  @Test
  void aLedgerThatRefusesFailsNoMessage() {
    each((one, next) -> {
      if (next.others() == Others.LEDGER_REFUSES) {
        assertThat(next.suspicion().fails()).as("%s", one).isFalse();
        assertThat(next.retry()).as("%s", one).isEqualTo(Retry.REPAIRED);
      }
    });
  }

  @Test
  void whateverFailsEachTimeEndsWithNothingLeftThatCouldFail() {
    for (Step step :
        List.of(Step.BEGIN, Step.STATEMENTS, Step.KEEP, Step.COMMIT, Step.COMMIT_REFUSED)) {
      for (String state : List.of("22021", "40001", "08006", "XX000")) {
        Suspicion now = Suspicion.NONE;
        int attempts = 0;
        while (now.level() != Level.FAILS_UNLISTED) {
          Failure failure =
              new Failure(step, new SQLException("for a test", state), now.isOfOneMessage(), END);
          now = now.failed(failure, () -> Others.WRITE, LIMIT).suspicion();
          attempts++;
        }
        assertThat(attempts).as("%s %s", step, state).isLessThanOrEqualTo(2 + LIMIT + 4);
      }
    }
  }

  @Test
  void aCommitLowersTheLevel() {
    each((one, _) -> {
      Suspicion before = one.before();
      assertThat(before.committed(END)).isEqualTo(Suspicion.NONE);
      Suspicion inside = before.committed(END - 1);
      assertThat(inside.fails()).isFalse();
      assertThat(inside.tries()).isZero();
      assertThat(inside.isOfOneMessage())
          .as("the message that fails may be one of the next")
          .isEqualTo(before.isOfOneMessage());
    });
  }

  @Test
  void aDecisionFailsAMessageAtAnyLevel() {
    each((one, _) -> {
      Suspicion failing = one.before().failing(END, REASON);
      assertThat(failing.fails()).isTrue();
      assertThat(failing.reason()).isEqualTo(REASON);
      assertThat(failing.committed(END)).isEqualTo(Suspicion.NONE);
    });
  }
}
