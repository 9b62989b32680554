/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.operations.StartRefused;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.UnaryOperator;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.hsqldb.Session;
import org.hsqldb.jdbc.JDBCConnection;
import org.hsqldb.jdbc.JDBCDriver;
import org.hsqldb.lib.FileAccess;
import org.hsqldb.lib.FileUtil;
import org.jspecify.annotations.Nullable;

/**
 * An HSQLDB database in its own directory. A commit that has returned survives a crash of the
 * process or the host. There is no server: only one process at a time can open the database.
 *
 * <p>It has two users. The owner ({@code SA}) creates tables and runs migrations. The user of
 * statements and batch jobs ({@code FOREBAY_GATEWAY}) owns nothing and has only the rights granted
 * to it. Their passwords are generated when the database is first opened and stored in the file
 * {@code credentials} of the directory, which only this user of the operating system can read.
 *
 * <p>A failure to write or force the database's files is final: no further commit is confirmed
 * until the database is reopened.
 *
 * <p>After a kill, the next opening replays the log since the last checkpoint (at most 50 MiB),
 * which takes some seconds. Thread-safe.
 */
public final class EmbeddedDatabase implements AutoCloseable {

  /** The base name of the database's files. */
  private static final String NAME = "database";

  private static final String OWNER = "SA";
  private static final String GATEWAY = "FOREBAY_GATEWAY";

  /**
   * The lock on the directory replaces HSQLDB's own lock, which is a heartbeat: a suspended process
   * loses it, and a killed one leaves it behind for ten seconds. The size of the log (MiB) bounds
   * how long its replay takes after a kill. The cache holds at most an eighth of the heap, 32 MiB
   * (given in KiB) and 100,000 rows.
   *
   * <p>A checkpoint copies the rows to a new file when half of the file is lost; otherwise the file
   * grows by all that was ever written. A space for each table would bound the file, too, but an
   * insert would take four times the CPU.
   */
  private static final String PROPERTIES =
      ";hsqldb.lock_file=false;hsqldb.write_delay=false;hsqldb.tx=mvcc"
          + ";hsqldb.default_table_type=cached;hsqldb.digest=SHA-256"
          + ";hsqldb.defrag_limit=50"
          + ";hsqldb.log_size=50;hsqldb.cache_rows=100000;hsqldb.cache_size="
          + Math.min(32 << 10, Runtime.getRuntime().maxMemory() >> 13);

  private static final Pattern TABLE =
      Pattern.compile("(?:(\\w+|\"[^\"]+\")\\.)?(\\w+|\"[^\"]+\")");

  private final ReadWriteLock closing = new ReentrantReadWriteLock();
  private final Path directory;
  private final DirectoryLock lock;
  private final String url;
  private final UserDataSource owner;
  private final UserDataSource gateway;
  private final ForcedFiles files;
  private boolean closed;

  private EmbeddedDatabase(
      Path directory, DirectoryLock lock, Credentials credentials, ForcedFiles files)
      throws SQLException {
    this.directory = directory;
    this.lock = lock;
    this.files = files;
    this.url = url(directory.resolve(NAME));
    this.owner = new UserDataSource(OWNER, credentials.owner());
    this.gateway = new UserDataSource(GATEWAY, credentials.gateway());
    try (Connection connection = connect(url, OWNER, credentials.owner());
        Statement statement = connection.createStatement()) {
      Session session = (Session) connection.unwrap(JDBCConnection.class).getSession();
      files.guard(session.getDatabase().logger);
      statement.execute("checkpoint"); // proves what HSQLDB has written, and reopens the log
      if (files.isFailed()) {
        files.abandon();
        statement.execute("shutdown immediately");
        files.mustWork();
      }
    }
  }

  /**
   * Opens the database in this directory. Creates a missing directory, with mode 0700, and a
   * missing database.
   *
   * @throws StartRefused if a process, which the message names, has the database open, if its
   *     passwords are lost, or if other users may enter the directory or read the passwords
   * @throws UncheckedIOException if the directory cannot be used
   * @throws SQLException if HSQLDB cannot open the existing files
   */
  public static EmbeddedDatabase open(Path directory) throws SQLException {
    return open(directory, UnaryOperator.identity());
  }

  /**
   * @param disk wraps access to the files; for tests
   */
  public static EmbeddedDatabase open(Path directory, UnaryOperator<FileAccess> disk)
      throws SQLException {
    Path path = directory.toAbsolutePath().normalize();
    if (path.toString().indexOf(';') >= 0) {
      throw new IllegalArgumentException(
          "Embedded database not opened: its directory is "
              + path
              + "; HSQLDB allows no semicolon in the path, so choose another directory");
    }
    try {
      createPrivate(path);
      DirectoryLock lock = DirectoryLock.take(path);
      try {
        Credentials credentials = credentials(path);
        NewDatabase files = new NewDatabase(path, NAME);
        if (files.isMissing()) {
          files.create(file -> connect(url(file), OWNER, credentials.owner()));
        }
        ForcedFiles forced =
            new ForcedFiles(
                disk.apply(FileUtil.getFileAccess(false)), path.resolve(NAME).toString());
        try {
          EmbeddedDatabase database = new EmbeddedDatabase(path, lock, credentials, forced);
          database.setUp();
          return database;
        } catch (Throwable t) {
          forced.close();
          throw t;
        }
      } catch (Throwable t) {
        lock.close();
        throw t;
      }
    } catch (FileSystemException e) {
      throw StartRefused.of(path, e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void createPrivate(Path directory) throws IOException {
    Set<PosixFilePermission> owner = PosixFilePermissions.fromString("rwx------");
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(owner));
    if (!owner.containsAll(Files.getPosixFilePermissions(directory))) {
      throw new StartRefused(
          "Directory permissions too open: other users may enter "
              + directory
              + ", the directory of the database; set its mode to 0700, or configure a directory"
              + " that does not exist yet");
    }
  }

  private static Credentials credentials(Path directory) throws IOException {
    if (Files.exists(directory.resolve(NAME + ".script")) && !Credentials.exist(directory)) {
      throw new StartRefused(
          "Passwords of the database are missing: "
              + directory
              + " has no file credentials; restore that file from a backup");
    }
    return Credentials.of(directory);
  }

  private static String url(Path files) {
    return "jdbc:hsqldb:file:" + files + PROPERTIES;
  }

  private static Connection connect(String url, String user, String password) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    return new JDBCDriver().connect(url, properties);
  }

  /** The user whose connection created the database is the owner. */
  private void setUp() throws SQLException {
    try (Connection connection = owner.getConnection();
        Statement statement = connection.createStatement()) {
      String found = "select 1 from information_schema.system_users where user_name = ?";
      if (DatabaseChecks.column(connection, found, GATEWAY).isEmpty()) {
        statement.execute("create user " + GATEWAY + " password '" + gateway.password + "'");
      }
    }
  }

  /** Connections of the owner, for migrations and the application's own tables. Not pooled. */
  public DataSource owner() {
    return owner;
  }

  /** Connections of the user of statements and jobs. Not pooled. */
  public DataSource gateway() {
    return gateway;
  }

  /** The JDBC URL, without user and password. */
  public String url() {
    return url;
  }

  /**
   * Grants statements and jobs select, insert, update and delete on a table that the owner created.
   * Waits until all open transactions have ended.
   *
   * @param table as written in SQL, for example {@code orders} or {@code shop.orders}
   */
  public void grantAll(String table) throws SQLException {
    if (!TABLE.matcher(table).matches()) {
      throw new IllegalArgumentException("Not a table name; nothing was granted");
    }
    try (Connection connection = owner.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("grant select, insert, update, delete on " + table + " to " + GATEWAY);
    }
  }

  /**
   * Writes everything to the database's files, so that the next opening has nothing to replay. Then
   * closes all connections and unlocks the directory. Writes nothing if the files have failed.
   *
   * @throws SQLException if the files could not be written. The directory stays locked, and nothing
   *     is lost because the log is complete; call this method again to retry
   */
  @Override
  public void close() throws SQLException {
    closing.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      try (Connection connection = owner.connect();
          Statement statement = connection.createStatement()) {
        if (files.isFailed()) {
          files.abandon(); // memory must not overwrite the files
          statement.execute("shutdown immediately");
        } else {
          statement.execute("shutdown");
        }
      }
      closed = true;
      files.close();
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      closing.writeLock().unlock();
    }
  }

  /** Refuses connections after the database was closed: HSQLDB would reopen it without our lock. */
  private final class UserDataSource implements DataSource {

    private final String user;
    private final String password;

    UserDataSource(String user, String password) {
      this.user = user;
      this.password = password;
    }

    @Override
    public Connection getConnection() throws SQLException {
      closing.readLock().lock();
      try {
        if (closed) {
          throw new SQLNonTransientConnectionException(
              "The database in " + directory + " is closed", "08003");
        }
        files.mustWork();
        return connect();
      } catch (IllegalStateException e) {
        throw new SQLNonTransientConnectionException(e.getMessage(), "08006", e);
      } finally {
        closing.readLock().unlock();
      }
    }

    private Connection connect() throws SQLException {
      return EmbeddedDatabase.connect(url, user, password);
    }

    @Override
    public Connection getConnection(String otherUser, String otherPassword) throws SQLException {
      throw new SQLFeatureNotSupportedException("This data source has only the user " + user);
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
      return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter writer) throws SQLException {
      throw new SQLFeatureNotSupportedException("Log writer not supported");
    }

    @Override
    public int getLoginTimeout() {
      return 0;
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
      throw new SQLFeatureNotSupportedException(
          "Login timeout not supported: the database runs in this process");
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
      throw new SQLFeatureNotSupportedException("Parent logger not supported");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
      if (type.isInstance(this)) {
        return type.cast(this);
      }
      throw new SQLException("This data source does not wrap " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
      return type.isInstance(this);
    }

    @Override
    public String toString() {
      return url + " as " + user;
    }
  }
}
