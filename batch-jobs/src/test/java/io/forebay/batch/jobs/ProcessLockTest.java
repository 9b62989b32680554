/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** Processes see whether others are alive by the locks of their sessions. */
class ProcessLockTest {

  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final TestPostgres postgres = TestPostgres.shared();
  private final ProcessLock one = lock("one");
  private final ProcessLock other = lock("other");

  private ProcessLock lock(String process) {
    return new ProcessLock(postgres.owner(), process, true, PATIENCE);
  }

  @AfterEach
  void close() {
    one.close();
    other.close();
    postgres.close();
  }

  private void isSeenAlive(boolean alive) {
    await()
        .until(() -> {
          one.hold();
          return other.isAlive("one") == alive;
        });
  }

  /** Ends all sessions with locks, as a restart or a fail over of the server does. */
  private void endSessions() {
    new JdbcTemplate(postgres.superuser())
        .queryForList("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'");
  }

  @Test
  void aProcessIsAliveAsLongAsItHoldsItsLock() {
    assertThat(other.isAlive("nobody")).as("while it is new itself").isTrue();
    await()
        .until(() -> {
          one.hold();
          return !other.isAlive("nobody");
        });
    assertThat(other.isAlive("one")).isTrue();
    one.close();
    await().until(() -> !other.isAlive("one"));
  }

  @Test
  void aProcessThatHangsIsDeadUntilItHoldsItsLockAgain() {
    one.hold();
    await().until(() -> !other.isAlive("nobody"));
    await().until(() -> !other.isAlive("one"));
    isSeenAlive(true);
  }

  @Test
  void nobodyIsDeadRightAfterTheServerEndedAllSessions() {
    one.hold();
    await()
        .until(() -> {
          one.hold();
          return !other.isAlive("nobody");
        });
    endSessions();
    assertThat(other.isAlive("one")).as("its lock is free").isTrue();
    isSeenAlive(true);
    await()
        .until(() -> {
          one.hold();
          return !other.isAlive("nobody");
        });
    assertThat(other.isAlive("one")).isTrue();
  }

  @Test
  void allOtherProcessesOfAnEmbeddedDatabaseAreDead() {
    try (ProcessLock alone = new ProcessLock(postgres.owner(), "alone", false, PATIENCE)) {
      alone.hold();
      assertThat(alone.isAlive("one")).isFalse();
    }
  }
}
