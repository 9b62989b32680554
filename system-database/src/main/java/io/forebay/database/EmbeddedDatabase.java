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
import java.sql.ResultSet;
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
import org.jspecify.annotations.Nullable;

/**
 * A HSQLDB database in a directory of its own, set up so that a commit that returned is kept when
 * the process or the host dies. There is no server: one process at a time can open it.
 *
 * <p>It has two users. The owner ({@code SA}) creates tables and is for migrations. The gateway
 * ({@code FOREBAY_GATEWAY}) owns nothing and may do what it was granted. Their passwords are
 * generated at the first opening and kept in the file {@code credentials} of the directory, which
 * only this user of the operating system can read.
 *
 * <p>A failure to write or force its files is final: no commit is confirmed after it, until the
 * database is opened again.
 *
 * <p>After a kill, the next opening performs again what was committed since the last checkpoint, at
 * most 50 MiB, which takes some seconds. Thread-safe.
 */
public final class EmbeddedDatabase implements AutoCloseable {

  /** Of the files in the directory, before the dot. */
  private static final String NAME = "database";

  private static final String OWNER = "SA";
  private static final String GATEWAY = "FOREBAY_GATEWAY";

  /**
   * HSQLDB's own lock is a heartbeat, which a stopped process loses and a killed one leaves behind
   * for ten seconds; the lock on the directory takes its place. The log is replayed after a kill:
   * its size (MiB) bounds how long that takes. The cache is at most an eighth of the heap, 32 MiB
   * (given in KiB) or 100,000 rows.
   */
  private static final String PROPERTIES =
      ";hsqldb.lock_file=false;hsqldb.write_delay=false;hsqldb.tx=mvcc"
          + ";hsqldb.default_table_type=cached;hsqldb.digest=SHA-256"
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
      Path directory, DirectoryLock lock, Credentials credentials, UnaryOperator<FileAccess> disk)
      throws SQLException {
    this.directory = directory;
    this.lock = lock;
    this.url = url(directory.resolve(NAME));
    this.owner = new UserDataSource(OWNER, credentials.owner());
    this.gateway = new UserDataSource(GATEWAY, credentials.gateway());
    try (Connection connection = connect(url, OWNER, credentials.owner());
        Statement statement = connection.createStatement()) {
      Session session = (Session) connection.unwrap(JDBCConnection.class).getSession();
      org.hsqldb.persist.Logger logger = session.getDatabase().logger;
      files = new ForcedFiles(disk.apply(logger.fileAccess));
      logger.fileAccess = files;
      statement.execute("checkpoint"); // the log is opened anew, by these files
    }
  }

  /**
   * Opens the database in this directory; creates both if there is none, the directory with mode
   * 0700.
   *
   * @throws StartRefused if a process, which the message names, has it open, if its passwords are
   *     lost, or if others may enter the directory or read the passwords
   * @throws UncheckedIOException if the directory cannot be used
   * @throws SQLException if HSQLDB cannot open what is there
   */
  public static EmbeddedDatabase open(Path directory) throws SQLException {
    return open(directory, UnaryOperator.identity());
  }

  /**
   * @param disk what is between this and the files; for tests
   */
  public static EmbeddedDatabase open(Path directory, UnaryOperator<FileAccess> disk)
      throws SQLException {
    Path path = directory.toAbsolutePath().normalize();
    if (path.toString().indexOf(';') >= 0) {
      throw new IllegalArgumentException(
          "The directory of an embedded database is " + path + "; HSQLDB takes no semicolon in it");
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
        EmbeddedDatabase database = new EmbeddedDatabase(path, lock, credentials, disk);
        database.setUp();
        return database;
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
          "Others may enter "
              + directory
              + ", where the database would keep its files; set its mode to 0700, or name a directory"
              + " that does not exist");
    }
  }

  private static Credentials credentials(Path directory) throws IOException {
    if (Files.exists(directory.resolve(NAME + ".script")) && !Credentials.exist(directory)) {
      throw new StartRefused(
          "There is a database in "
              + directory
              + " but no file credentials with its passwords; restore that file from a backup");
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
      boolean exists;
      try (ResultSet user =
          statement.executeQuery(
              "select 1 from information_schema.system_users where user_name = '"
                  + GATEWAY
                  + "'")) {
        exists = user.next();
      }
      if (!exists) {
        statement.execute("create user " + GATEWAY + " password '" + gateway.password + "'");
      }
    }
  }

  /** Connections of the owner: for migrations and the application's own tables. Not pooled. */
  public DataSource owner() {
    return owner;
  }

  /** Connections of the user that statements are performed as. Not pooled. */
  public DataSource gateway() {
    return gateway;
  }

  /** Where the database is, without user and password. */
  public String url() {
    return url;
  }

  /**
   * Lets the gateway select, insert, update and delete in a table that the owner created. It waits
   * until every transaction that is open ends.
   *
   * @param table as it is written in SQL, {@code orders} or {@code shop.orders}
   */
  public void grantAll(String table) throws SQLException {
    if (!TABLE.matcher(table).matches()) {
      throw new IllegalArgumentException("Not the name of a table; nothing was granted");
    }
    try (Connection connection = owner.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("grant select, insert, update, delete on " + table + " to " + GATEWAY);
    }
  }

  /**
   * Writes everything to the database's files, so that the next opening has nothing to replay, ends
   * all connections and lets go of the directory. After its files failed it writes nothing.
   *
   * @throws SQLException if the files could not be written; the directory stays locked and nothing
   *     is lost: the log has it, and calling this again tries again
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
          files.abandon(); // nothing of what memory holds may be written over what the files hold
          statement.execute("shutdown immediately");
        } else {
          statement.execute("shutdown");
        }
      }
      closed = true;
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      closing.writeLock().unlock();
    }
  }

  /** Once the database is closed it refuses; HSQLDB would open it again, without our lock. */
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
      throw new SQLFeatureNotSupportedException("This data source has one user, " + user);
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
      return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter writer) throws SQLException {
      throw new SQLFeatureNotSupportedException("There is no log to write");
    }

    @Override
    public int getLoginTimeout() {
      return 0;
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
      throw new SQLFeatureNotSupportedException(
          "A connection in the process takes no time to wait for");
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
      throw new SQLFeatureNotSupportedException("HSQLDB logs by its own means");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
      if (type.isInstance(this)) {
        return type.cast(this);
      }
      throw new SQLException("This data source wraps no " + type.getName());
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
