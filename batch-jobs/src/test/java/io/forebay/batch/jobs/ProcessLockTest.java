/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import io.forebay.database.Pools;
import io.forebay.database.TestPostgres;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

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

  /** It would warn of a connection that was aborted, with a stack trace. */
  @Test
  void endsItsSessionWithoutAWarningOfThePool() {
    Logger logger = (Logger) LoggerFactory.getLogger("com.zaxxer.hikari");
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    logger.addAppender(logged);
    try (HikariDataSource pool = Pools.open("locks", postgres.owner(), 1, PATIENCE)) {
      ProcessLock pooled =
          new ProcessLock(new DelegatingDataSource(pool), "pooled", true, PATIENCE);
      pooled.hold();
      pooled.close();
      await().until(() -> sessionsWithLocks() == 0);
      assertThat(logged.list.stream().filter(it -> it.getLevel().isGreaterOrEqual(Level.WARN)))
          .isEmpty();
    } finally {
      logger.detachAppender(logged);
    }
  }

  private long sessionsWithLocks() {
    return new JdbcTemplate(postgres.superuser())
        .queryForObject(
            "select count(*) from pg_locks where locktype = 'advisory' and database ="
                + " (select oid from pg_database where datname = current_database())",
            Long.class);
  }

  @Test
  void allOtherProcessesOfAnEmbeddedDatabaseAreDead() {
    try (ProcessLock alone = new ProcessLock(postgres.owner(), "alone", false, PATIENCE)) {
      alone.hold();
      assertThat(alone.isAlive("one")).isFalse();
    }
  }
}
