/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.database.DatabaseChecks;
import io.forebay.database.Migrations;
import io.forebay.database.Pools;
import io.forebay.database.TableRights;
import io.forebay.database.UnsafeDatabase;
import io.forebay.machine.Machine;
import io.forebay.operations.StartRefused;
import io.forebay.service.progress.Unavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A role of the system database. The database is migrated, and the role gets its rights, when the
 * database first responds. Thread-safe.
 */
public final class SystemLogin {

  private static final Logger log = LoggerFactory.getLogger(SystemLogin.class);

  /** Classes of SQLStates: the role, the password or the database is wrong. */
  private static final List<String> NO_LOGIN = List.of("28", "3D");

  static final Duration WAIT = Duration.ofSeconds(2);

  /** How long others wait for the first migration, which takes longer on a busy machine. */
  private static final Duration FIRST_WAIT = Duration.ofSeconds(20);

  private final DataSource user;
  private final DataSource owner;
  private final TableRights rights;
  private final ReentrantLock preparing = new ReentrantLock();
  private volatile boolean ready;

  /** How many attempts to prepare it have ended. */
  private final AtomicInteger attempts = new AtomicInteger();

  /** Why the last attempt failed. */
  private volatile @Nullable Unavailable failure;

  private boolean refused;

  /**
   * @param user connects as this role
   * @param owner connects as the role that owns schema forebay
   */
  SystemLogin(DataSource user, DataSource owner, TableRights rights) {
    this.user = user;
    this.owner = owner;
    this.rights = rights;
  }

  /**
   * Returns a pool for users that keep a connection for more than one query, such as jobs. It opens
   * the first connection on demand, after the migration. The caller closes the pool.
   *
   * @param name the name of the pool
   * @param connections the maximum number of connections
   * @param answer how long a statement on a server may take before the server counts as unavailable
   */
  public SystemConnections open(String name, int connections, Duration answer) {
    return new SystemConnections(pool(name, connections, answer), this);
  }

  /**
   * @param answer null for the default of the source
   */
  HikariDataSource pool(String name, int connections, @Nullable Duration answer) {
    DataSource source = answer == null ? user : new AnswerTimeout(user, answer);
    return Pools.open(name, source, connections, WAIT);
  }

  /**
   * Migrates the database, unless this was done.
   *
   * @param pool connects as this role
   * @throws Unavailable if the database does not respond or refuses
   */
  void prepare(DataSource pool) {
    if (ready) {
      return;
    }
    boolean alone = false;
    int before = attempts.get();
    Duration wait = before == 0 ? FIRST_WAIT : WAIT;
    try {
      alone = Machine.lock(preparing, wait);
      if (!alone) {
        throw new Unavailable(
            "the system database is still being migrated", new TimeoutException());
      }
      if (!ready) {
        if (failure != null && attempts.get() > before) { // another one ended while this one waited
          throw new Unavailable(String.valueOf(failure.getMessage()), failure);
        }
        try {
          migrate(pool);
          ready = true;
        } catch (Unavailable e) {
          failure = e;
          throw e;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Unavailable("interrupted while the system database was being migrated", e);
    } finally {
      if (alone) {
        attempts.incrementAndGet();
        preparing.unlock();
      }
    }
  }

  private void migrate(DataSource pool) {
    try (Connection connection = pool.getConnection()) {
      Migrations.run(owner, connection.getMetaData().getUserName(), rights);
      if (rights == TableRights.JOBS) {
        DatabaseChecks.ofJobs(connection);
      }
    } catch (UnsafeDatabase e) {
      if (!refused) {
        refused = true;
        log.error("The system database cannot be used: {}", e.getMessage());
      }
      throw new Unavailable(
          "the system database is not as it must be",
          new StartRefused(String.valueOf(e.getMessage())));
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  /** Omits the message of the driver, which may contain values, unless the login failed. */
  static Unavailable unavailable(Exception failure) {
    String state = "none";
    String why = "";
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && sql.getSQLState() != null) {
        state = sql.getSQLState();
        why = NO_LOGIN.stream().anyMatch(state::startsWith) ? ": " + sql.getMessage() : "";
      }
    }
    return new Unavailable(
        "the system database does not respond (SQLState " + state + why + ")", failure);
  }
}
