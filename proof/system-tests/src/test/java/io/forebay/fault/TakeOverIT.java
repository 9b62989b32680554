/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestPostgres;
import io.forebay.fault.ServiceArguments.Settings;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process is suspended (SIGSTOP) while another takes over, and then continued (SIGCONT): it must
 * not change anything any more. A second process beside a live one is refused.
 */
@Tag("proof")
class TakeOverIT {

  /** The lock time-out of a hung process, plus a margin for a busy machine. */
  private static final Duration TAKE_OVER = Duration.ofSeconds(60);

  /**
   * As after a host was cloned or its disk was mounted elsewhere: the second process has a copy of
   * the queues, so it can work while the first is suspended.
   */
  @ParameterizedTest
  @ValueSource(strings = {"before-commit", "after-commit"})
  void aSuspendedProcessIsFencedWhenItContinues(String crashPoint) {
    try (TestPostgres postgres = TestPostgres.shared();
        FaultRun run = FaultRun.on(postgres.url(), "take-over-" + crashPoint)) {
      System.out.println(run.context());
      run.use(Settings.PLAIN);
      RunningService first =
          run.start(Optional.of(crashPoint + ":" + (10 + run.random().nextInt(60)) + ":stop"));
      first.until(first.process()::isSuspended);
      run.cloneQueues();
      endHalfSent(postgres);

      RunningService second = run.start();
      second.awaitReady();
      long since = System.nanoTime();
      for (int partition = 0; partition < ServiceArguments.PARTITIONS; partition++) {
        String running = "state " + partition + " RUNNING";
        second.await(running::equals, 0);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(TAKE_OVER);
      second.settle();

      first.process().resume();
      for (int partition = 0; partition < ServiceArguments.PARTITIONS; partition++) {
        String fenced =
            "state " + partition + " FENCED: .*taken over by pid " + second.process().pid() + ".*";
        first.await(line -> line.matches(fenced), 0);
      }
      first.process().kill();
      second.drain();
      run.check();
      System.out.printf(
          "stopped at %s and taken over: %,d statements acknowledged, none lost, doubled or"
              + " reordered%n",
          crashPoint, run.checked());
    }
  }

  /**
   * As an operator does before PostgreSQL 17, see docs/start.md: if another partition was sending a
   * message when the process was suspended, no time-out of the server ends its session.
   */
  private static void endHalfSent(TestPostgres postgres) {
    TestPostgres.execute(
        postgres.superuser(),
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'forebay_gateway'"
            + " and datname = '%s' and state = 'active' and wait_event = 'ClientRead'"
                .formatted(postgres.database()));
  }

  @Test
  void aSecondProcessIsRefusedWhileTheFirstLivesAndTakesOverWhenItIsKilled() {
    try (FaultRun run = FaultRun.embedded("second-process")) {
      RunningService first = run.start();
      first.awaitReady();
      refused(run, "the data directory \\S+ is in use by process " + first.process().pid());

      first.process().suspend();
      refused(run, "the data directory \\S+ is in use by process " + first.process().pid());

      first.process().kill();
      RunningService second = run.start();
      second.awaitReady();
      second.settle();
      second.drain();
      run.check();
    }
  }

  @Test
  void aSecondProcessOnTheSameEmbeddedDatabaseIsRefused() {
    try (FaultRun run = FaultRun.embedded("second-process")) {
      RunningService first = run.start();
      first.awaitReady();
      first.process().suspend();
      run.cloneQueues();
      refused(run, "The database in \\S+ is open already \\(by process " + first.process().pid());

      first.process().kill();
      RunningService second = run.start();
      second.awaitReady();
      second.settle();
      second.drain();
      run.check();
    }
  }

  private static void refused(FaultRun run, String sentence) {
    RunningService refused = run.start();
    refused.process().awaitEnd(1);
    assertThat(refused.process().errors())
        .anyMatch(line -> line.matches(".*StartRefused: " + sentence + ".*"));
  }
}
