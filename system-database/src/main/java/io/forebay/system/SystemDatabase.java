/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.forebay.database.DatabaseChecks;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.Migrations;
import io.forebay.database.TableRights;
import io.forebay.database.UnsafeDatabase;
import io.forebay.operations.StartRefused;
import io.forebay.service.progress.Unavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.UserCredentialsDataSourceAdapter;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The database of tokens, users, audit and desired states. It is migrated when it first responds.
 * Its tables are in schema {@code forebay}. Thread-safe.
 *
 * <p>A statement times out after {@value #STATEMENT_SECONDS} s.
 */
public final class SystemDatabase implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SystemDatabase.class);
  private static final int STATEMENT_SECONDS = 5;

  /** Classes of SQLStates: the role, the password or the database is wrong. */
  private static final List<String> NO_LOGIN = List.of("28", "3D");

  private static final int CONNECTIONS = 4;

  /** For the audit and for commands, which must not wait for what many callers ask. */
  private static final int COMMAND_CONNECTIONS = 2;

  static final Duration WAIT = Duration.ofSeconds(2);

  /** How long others wait for the first migration, which takes longer on a busy machine. */
  private static final Duration FIRST_WAIT = Duration.ofSeconds(20);

  private final DataSource user;
  private final DataSource owner;
  private final boolean shared;
  private final TableRights rights;
  private final @Nullable EmbeddedDatabase embedded;
  private final HikariDataSource pool;
  private final HikariDataSource commandPool;
  private final JdbcClient client;
  private final JdbcClient commandClient;
  private final TransactionTemplate serializable;
  private final TransactionTemplate serializableCommand;
  private final ReentrantLock preparing = new ReentrantLock();
  private volatile boolean ready;

  /** How many attempts to prepare it have ended. */
  private final AtomicInteger attempts = new AtomicInteger();

  /** Why the last attempt failed. */
  private volatile @Nullable Unavailable failure;

  private boolean refused;

  /**
   * @param user connects as the role that reads and writes; opened at the first query
   * @param owner connects as the role that owns schema forebay
   */
  public SystemDatabase(DataSource user, DataSource owner) {
    this(user, owner, true);
  }

  /**
   * @param shared whether other instances may use the database too
   */
  public SystemDatabase(DataSource user, DataSource owner, boolean shared) {
    this(user, owner, shared, TableRights.SYSTEM, null);
  }

  private SystemDatabase(
      DataSource user,
      DataSource owner,
      boolean shared,
      TableRights rights,
      @Nullable EmbeddedDatabase embedded) {
    this.user = user;
    this.owner = owner;
    this.shared = shared;
    this.rights = rights;
    this.embedded = embedded;
    pool = pool("forebay-system", CONNECTIONS, null);
    commandPool = pool("forebay-commands", COMMAND_CONNECTIONS, null);
    client = client(pool);
    commandClient = client(commandPool);
    serializable = serializable(pool);
    serializableCommand = serializable(commandPool);
  }

  private static JdbcClient client(DataSource pool) {
    JdbcTemplate template = new JdbcTemplate(pool);
    template.setQueryTimeout(STATEMENT_SECONDS);
    return JdbcClient.create(template);
  }

  private static TransactionTemplate serializable(DataSource pool) {
    TransactionTemplate template = new TransactionTemplate(new JdbcTransactionManager(pool));
    template.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
    return template;
  }

  /** The embedded database. */
  static SystemDatabase embedded(EmbeddedDatabase database) {
    DataSource owner = database.owner();
    return new SystemDatabase(owner, owner, false, TableRights.SYSTEM, database);
  }

  /**
   * The same database for batch jobs, with a role that can use the job repository, but neither
   * tokens, users and audit nor the tables of gateways. On the embedded database this is a user of
   * its own. The caller closes it.
   *
   * @param role connects as this role; null on a database server: as the role that uses tokens and
   *     audit, which a job can then change
   * @throws StartRefused if a role is given for the embedded database
   */
  public SystemDatabase forJobs(@Nullable Role role) {
    if (embedded != null) {
      if (role != null) {
        throw new StartRefused(
            "Role of jobs not allowed: the embedded database has its own user for jobs; remove"
                + " forebay.jobs.database, or set forebay.system.datasource");
      }
      return new SystemDatabase(embedded.jobs(), owner, shared, TableRights.JOBS, null);
    }
    if (role == null) {
      return new SystemDatabase(user, owner, shared, rights, null);
    }
    UserCredentialsDataSourceAdapter jobs = new UserCredentialsDataSourceAdapter();
    jobs.setTargetDataSource(user);
    jobs.setUsername(role.name());
    jobs.setPassword(role.password());
    return new SystemDatabase(jobs, owner, shared, TableRights.JOBS, null);
  }

  /** A role of the database. */
  public record Role(String name, String password) {

    /** Omits the password. */
    @Override
    public String toString() {
      return name;
    }
  }

  private HikariDataSource pool(String name, int connections, @Nullable Duration answer) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(name);
    config.setDataSource(new Pooled(user, answer));
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(0);
    config.setIdleTimeout(Duration.ofMinutes(1).toMillis());
    config.setConnectionTimeout(WAIT.toMillis());
    config.setValidationTimeout(WAIT.toMillis() / 2);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  /**
   * Returns a separate pool for users that keep a connection for more than one query, such as jobs.
   * It opens the first connection on demand, after the migration. The caller closes the pool.
   *
   * @param name the name of the pool
   * @param connections the maximum number of connections
   * @param answer how long a statement on a server may take before the server counts as unavailable
   */
  public SystemConnections open(String name, int connections, Duration answer) {
    return new SystemConnections(pool(name, connections, answer), this::prepare);
  }

  /** Whether other processes can reach the database: an HSQLDB only if it runs as a server. */
  public static boolean isShared(String url) {
    return !url.startsWith("jdbc:hsqldb:") || url.startsWith("jdbc:hsqldb:hsql");
  }

  /** Whether other instances may use the database too; not an embedded database. */
  public boolean isShared() {
    return shared;
  }

  /**
   * Queries the database. Each statement has its own transaction.
   *
   * @throws Unavailable if the database does not respond or refuses; the message contains the
   *     SQLState
   * @throws DataIntegrityViolationException if a table constraint is violated
   */
  public <T> T ask(Function<JdbcClient, T> question) {
    return guarded(() -> question.apply(client));
  }

  /**
   * Queries the database in one serializable transaction. A conflict throws {@link Unavailable}; a
   * retry helps.
   *
   * @throws Unavailable like {@link #ask}; nothing was changed, unless the answer to the commit was
   *     lost
   * @throws DataIntegrityViolationException if a table constraint is violated; nothing was changed
   */
  public <T> T inTransaction(Function<JdbcClient, T> question) {
    return guarded(() -> serializable.execute(_ -> question.apply(client)));
  }

  /**
   * Like {@link #ask}, for the audit and for commands: its connections are not those that {@link
   * #ask} and {@link #inTransaction} use, so that it does not wait for these.
   */
  public <T> T command(Function<JdbcClient, T> question) {
    return guarded(() -> question.apply(commandClient));
  }

  /** Like {@link #inTransaction}, with the connections of {@link #command}. */
  <T> T commandInTransaction(Function<JdbcClient, T> question) {
    return guarded(() -> serializableCommand.execute(_ -> question.apply(commandClient)));
  }

  /**
   * Reports only errors of the database or its connection as {@link Unavailable}; others are
   * defects.
   */
  private <T> T guarded(Supplier<T> action) {
    prepare();
    try {
      return action.get();
    } catch (DataIntegrityViolationException | InvalidDataAccessApiUsageException e) {
      throw e;
    } catch (DataAccessException | TransactionException e) {
      throw unavailable(e);
    }
  }

  private void prepare() {
    if (ready) {
      return;
    }
    boolean alone = false;
    int before = attempts.get();
    Duration wait = before == 0 ? FIRST_WAIT : WAIT;
    try {
      alone = preparing.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS);
      if (!alone) {
        throw new Unavailable(
            "the system database is still being migrated", new TimeoutException());
      }
      if (!ready) {
        if (failure != null && attempts.get() > before) { // another one ended while this one waited
          throw new Unavailable(String.valueOf(failure.getMessage()), failure);
        }
        try {
          migrate();
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

  private void migrate() {
    try (Connection connection = pool.getConnection()) {
      Migrations.run(owner, connection.getMetaData().getUserName(), rights);
      if (rights == TableRights.JOBS) {
        DatabaseChecks.ofJobs(connection);
      }
    } catch (UnsafeDatabase e) {
      if (!refused) {
        refused = true;
        log.error("Jobs cannot run: {}", e.getMessage());
      }
      throw new Unavailable(
          "the role of jobs has too many rights", new StartRefused(String.valueOf(e.getMessage())));
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  /** Omits the message of the driver, which may contain values, unless the login failed. */
  private static Unavailable unavailable(Exception failure) {
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

  @Override
  public void close() {
    pool.close();
    commandPool.close();
  }
}
