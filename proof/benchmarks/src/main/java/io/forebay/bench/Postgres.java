/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.jdbc.gateway.JDBCService;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A PostgreSQL server for the benchmark, with durable commits. */
final class Postgres implements AutoCloseable {

  /** The role that creates the tables. */
  static final String OWNER = "postgres";

  /** A role that owns nothing and has only granted permissions. */
  static final String GATEWAY = "forebay_gateway";

  /** Linux counts in hundredths of a second for programs, whatever its own clock does. */
  private static final double TICKS_PER_SECOND = 100;

  private static final String SHOWN =
      "{server_version,fsync,synchronous_commit,wal_sync_method,full_page_writes,shared_buffers,"
          + "max_wal_size,checkpoint_timeout,autovacuum,track_commit_timestamp}";

  private final EmbeddedPostgres.Builder builder;
  private final Path data;
  private EmbeddedPostgres server;

  private Postgres(EmbeddedPostgres.Builder builder, Path data) throws IOException {
    this.builder = builder;
    this.data = data;
    server = builder.start();
  }

  /**
   * Starts a server in an empty folder.
   *
   * @param more additional server settings
   * @throws IllegalStateException if its settings do not make commits durable
   */
  static Postgres start(Path folder, Map<String, String> more) throws IOException, SQLException {
    Path data = folder.resolve("data");
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setOverrideWorkingDirectory(folder.resolve("binaries").toFile())
            .setDataDirectory(data)
            .setCleanDataDirectory(false)
            .setRegisterShutdownHook(false)
            .setServerConfig("listen_addresses", "127.0.0.1")
            .setServerConfig("unix_socket_directories", "")
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on");
    more.forEach(builder::setServerConfig);
    Postgres postgres = new Postgres(builder, data);
    Map<String, Object> settings = postgres.settings();
    if (!"on".equals(settings.get("fsync")) || !"on".equals(settings.get("synchronous_commit"))) {
      postgres.close();
      throw new IllegalStateException("PostgreSQL does not make commits durable: " + settings);
    }
    postgres.execute("create role " + GATEWAY + " login");
    return postgres;
  }

  /** The JDBC URL of a new, empty database. */
  String create(String database) throws SQLException {
    execute("create database " + database);
    return url(database);
  }

  void drop(String database) throws SQLException {
    execute("drop database " + database + " with (force)");
  }

  private void execute(String sql) throws SQLException {
    Database database = this::connect;
    database.execute(sql);
  }

  private Connection connect() throws SQLException {
    return dataSource(url("postgres"), OWNER).getConnection();
  }

  private String url(String database) {
    return url(port(), database);
  }

  /** The JDBC URL of a database of a server, or of a proxy in front of one. */
  static String url(int port, String database) {
    return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, database);
  }

  int port() {
    return server.getPort();
  }

  /** Connects to a database of such a server with one of its roles. */
  static DataSource dataSource(String url, String role) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    source.setUser(role);
    return source;
  }

  /** Sets the database of a gateway to one of such a server. */
  static JDBCService.Builder databaseOf(JDBCService.Builder gateway, String url) {
    return gateway.dataSource(dataSource(url, GATEWAY)).migrate(dataSource(url, OWNER));
  }

  /** The version and the settings that matter for the figures. */
  Map<String, Object> settings() throws SQLException {
    Map<String, Object> settings = new LinkedHashMap<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select name, current_setting(name) from unnest('" + SHOWN + "'::text[]) name")) {
      while (row.next()) {
        settings.put(row.getString(1), row.getString(2));
      }
    }
    return settings;
  }

  /**
   * CPU seconds of the server since its start, including those of backends that have ended; NaN if
   * the system has no {@code /proc}.
   */
  double cpuSeconds() throws IOException {
    if (!Files.exists(Path.of("/proc/self/stat"))) {
      return Double.NaN;
    }
    String pid = Files.readAllLines(data.resolve("postmaster.pid")).getFirst().strip();
    return cpuSeconds(ProcessHandle.of(Long.parseLong(pid)).orElseThrow());
  }

  /** The same, of a server on Linux. */
  static double cpuSeconds(ProcessHandle postmaster) throws IOException {
    while (true) {
      long[] before = ticks(postmaster);
      long live = 0;
      for (ProcessHandle backend : postmaster.children().toList()) {
        try {
          live += ticks(backend)[0];
        } catch (IOException e) {
          // It has ended, so the time of ended children changes, and all are read again.
        }
      }
      long[] after = ticks(postmaster);
      if (before[1] == after[1]) {
        return (after[0] + after[1] + live) / TICKS_PER_SECOND;
      }
    }
  }

  /**
   * The ticks of a process and of its children that have ended: utime + stime and cutime + cstime
   * of proc_pid_stat(5).
   */
  private static long[] ticks(ProcessHandle process) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
    // The fields follow the name, which is in parentheses and may contain spaces.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return new long[] {
      Long.parseLong(fields[11]) + Long.parseLong(fields[12]),
      Long.parseLong(fields[13]) + Long.parseLong(fields[14])
    };
  }

  /** Stops the server and starts it again, with the same data, port and settings. */
  void restart() throws IOException {
    server.close();
    server = builder.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
