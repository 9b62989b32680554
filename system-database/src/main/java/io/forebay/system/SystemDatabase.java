/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.Pools;
import io.forebay.database.TableRights;
import io.forebay.operations.StartRefused;
import io.forebay.service.progress.Unavailable;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
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
public final class SystemDatabase implements AutoCloseable, Pools.Owner {

  private static final int STATEMENT_SECONDS = 5;

  private static final int CONNECTIONS = 4;

  /** For the audit and for commands, which must not wait for what many callers ask. */
  private static final int COMMAND_CONNECTIONS = 2;

  private final DataSource user;
  private final DataSource owner;
  private final boolean shared;
  private final @Nullable EmbeddedDatabase embedded;
  private final SystemLogin login;
  private final HikariDataSource pool;
  private final HikariDataSource commandPool;
  private final JdbcClient client;
  private final JdbcClient commandClient;
  private final TransactionTemplate serializable;
  private final TransactionTemplate serializableCommand;

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
    this(user, owner, shared, null);
  }

  private SystemDatabase(
      DataSource user, DataSource owner, boolean shared, @Nullable EmbeddedDatabase embedded) {
    this.user = user;
    this.owner = owner;
    this.shared = shared;
    this.embedded = embedded;
    login = new SystemLogin(user, owner, TableRights.SYSTEM);
    pool = login.pool("forebay-system", CONNECTIONS, null);
    commandPool = login.pool("forebay-commands", COMMAND_CONNECTIONS, null);
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
    return new SystemDatabase(owner, owner, false, database);
  }

  /**
   * The role of batch jobs, which can use the job repository, but neither tokens, users and audit.
   * On the embedded database this is the user that performs statements.
   *
   * @param role the role; null on a database server: the role that uses tokens and audit, which a
   *     job can then change
   * @throws StartRefused if a role is given for the embedded database
   */
  public SystemLogin forJobs(@Nullable Role role) {
    if (embedded != null) {
      if (role != null) {
        throw new StartRefused(
            "Role of jobs not allowed: on the embedded database, jobs use the user that performs"
                + " statements; remove forebay.jobs.database, or set forebay.system.datasource");
      }
      return new SystemLogin(embedded.gateway(), owner, TableRights.JOBS);
    }
    if (role == null) {
      return login;
    }
    UserCredentialsDataSourceAdapter jobs = new UserCredentialsDataSourceAdapter();
    jobs.setTargetDataSource(user);
    jobs.setUsername(role.name());
    jobs.setPassword(role.password());
    return new SystemLogin(jobs, owner, TableRights.JOBS);
  }

  /** A role of the database. */
  public record Role(String name, String password) {

    /** Omits the password. */
    @Override
    public String toString() {
      return name;
    }
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
    login.prepare(pool);
    try {
      return action.get();
    } catch (DataIntegrityViolationException | InvalidDataAccessApiUsageException e) {
      throw e;
    } catch (DataAccessException | TransactionException e) {
      throw SystemLogin.unavailable(e);
    }
  }

  @Override
  public Stream<HikariDataSource> pools() {
    return Stream.of(pool, commandPool);
  }

  @Override
  public void close() {
    pool.close();
    commandPool.close();
  }
}
