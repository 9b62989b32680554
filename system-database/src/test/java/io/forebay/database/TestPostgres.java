/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.testing.TestFiles;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL database with the two roles of {@code docs/start.md}, on a real server that keeps
 * what it commits ({@code fsync} and {@code synchronous_commit} on; the test library turns both
 * off). Its files are in memory, if there is enough: a database is then created in a quarter of the
 * time.
 *
 * <pre>{@code
 * try (TestPostgres postgres = TestPostgres.shared()) {   // a fresh database in the server of this JVM
 *   Migrations.run(postgres.owner(), postgres.gatewayRole());
 *   postgres.createTable("create table t (a int)");
 * }
 * try (TestPostgres postgres = TestPostgres.start()) {    // a separate server, which may be killed
 *   postgres.kill();
 *   postgres.restart();
 * }
 * }</pre>
 */
public final class TestPostgres implements AutoCloseable {

  private static final Map<String, String> DURABLE =
      Map.of(
          "fsync", "on",
          "full_page_writes", "on",
          "synchronous_commit", "on",
          "max_wal_size", "128MB"); // of memory
  private static final Duration START_TIMEOUT = Duration.ofSeconds(120);
  private static final Pattern TABLE =
      Pattern.compile(
          "\\s*create\\s+table\\s+([\\w.\"]+).*", Pattern.DOTALL | Pattern.CASE_INSENSITIVE);
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final Server server;
  private final String database;
  private final boolean own;

  private TestPostgres(Server server, boolean own) {
    this.server = server;
    this.own = own;
    this.database = "test_" + DATABASES.incrementAndGet();
    server.createRoles();
    server.execute("postgres", "create database " + database + " owner forebay_owner");
  }

  /** A new database in the server that all tests of this JVM share; do not stop that server. */
  public static TestPostgres shared() {
    return new TestPostgres(Shared.SERVER, false);
  }

  /** A separate server. */
  public static TestPostgres start() {
    return start(Map.of());
  }

  /** A separate server with these settings, which override the durable ones. */
  public static TestPostgres start(Map<String, String> settings) {
    return new TestPostgres(new Server(settings), true);
  }

  public DataSource owner() {
    return as("forebay_owner");
  }

  public DataSource gateway() {
    return as(gatewayRole());
  }

  public DataSource superuser() {
    return as("postgres");
  }

  DataSource as(String role) {
    return server.dataSource(role, database);
  }

  String gatewayRole() {
    return "forebay_gateway";
  }

  public String database() {
    return database;
  }

  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + server.port + "/" + database;
  }

  /** Creates a table as the owner and grants the gateway its use. */
  public void createTable(String ddl) {
    Matcher table = TABLE.matcher(ddl);
    if (!table.matches()) {
      throw new IllegalArgumentException("Not a create table: " + ddl);
    }
    execute(
        owner(),
        ddl,
        "grant select, insert, update, delete on " + table.group(1) + " to " + gatewayRole());
  }

  /** Performs these statements one by one, each in its own transaction. */
  public static void execute(DataSource dataSource, String... statements) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Kills the server and all of its processes (kill -9); returns when they have ended. */
  public void kill() {
    mine().kill();
  }

  /** Stops the server in mode fast. */
  void stop() {
    mine().stop();
  }

  /** Starts the server that was killed or stopped, on the same port with the same data. */
  public void restart() {
    mine().start();
  }

  /** The server process that accepts connections; its children serve them. */
  public ProcessHandle process() {
    return mine().process();
  }

  private Server mine() {
    if (!own) {
      throw new IllegalStateException("Other tests use this server; take one with start()");
    }
    return server;
  }

  @Override
  public void close() {
    if (own) {
      server.close();
    } else {
      server.execute("postgres", "drop database " + database + " with (force)");
    }
  }

  private static final class Shared {
    static final Server SERVER = new Server(Map.of());

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
    }
  }

  /**
   * A server in a directory of its own. The library unpacks, initialises and first starts it; it
   * cannot start a server again, so the rest is done by the server's own means.
   */
  private static final class Server {

    private final Path directory;
    private final int port;
    private final String binaries;

    Server(Map<String, String> settings) {
      Map<String, String> all = new HashMap<>(DURABLE);
      all.putAll(settings);
      try {
        directory = TestFiles.directory("forebay-postgres");
        EmbeddedPostgres.Builder builder =
            EmbeddedPostgres.builder()
                .setDataDirectory(directory)
                .setDataDirectoryCustomizer(data -> configure(data.toPath(), all))
                .setRegisterShutdownHook(false)
                .setPGStartupWait(START_TIMEOUT);
        all.forEach(builder::setServerConfig);
        port = builder.start().getPort();
        Files.writeString(
            directory.resolve("postgresql.conf"),
            "port = " + port + "\n",
            StandardOpenOption.APPEND);
        binaries = query("select setting from pg_config where name = 'BINDIR'");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void configure(Path data, Map<String, String> settings) {
      List<String> lines =
          settings.entrySet().stream().map(s -> s.getKey() + " = '" + s.getValue() + "'").toList();
      try {
        Files.write(data.resolve("postgresql.conf"), lines, StandardOpenOption.APPEND);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void createRoles() {
      execute(
          "postgres",
          "do $$ begin if to_regrole('forebay_owner') is null then create role forebay_owner login;"
              + " create role forebay_gateway login; end if; end $$");
    }

    void execute(String inDatabase, String sql) {
      TestPostgres.execute(dataSource("postgres", inDatabase), sql);
    }

    private String query(String sql) {
      try (Connection connection = dataSource("postgres", "postgres").getConnection();
          ResultSet row = connection.createStatement().executeQuery(sql)) {
        row.next();
        return row.getString(1);
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    DataSource dataSource(String role, String inDatabase) {
      PGSimpleDataSource dataSource = new PGSimpleDataSource();
      dataSource.setServerNames(new String[] {"127.0.0.1"});
      dataSource.setPortNumbers(new int[] {port});
      dataSource.setDatabaseName(inDatabase);
      dataSource.setUser(role);
      return dataSource;
    }

    ProcessHandle process() {
      return living().orElseThrow();
    }

    private Optional<ProcessHandle> living() {
      try (Stream<String> lines = Files.lines(directory.resolve("postmaster.pid"))) {
        return ProcessHandle.of(Long.parseLong(lines.findFirst().orElseThrow().trim()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void start() {
      control("start", "-w", "-t", "60", "-l", directory.resolve("server.log").toString());
    }

    void stop() {
      control("stop", "-m", "fast", "-w", "-t", "60");
    }

    void kill() {
      ProcessHandle server = process();
      List<ProcessHandle> all = Stream.concat(Stream.of(server), server.descendants()).toList();
      all.forEach(ProcessHandle::destroyForcibly);
      // A server does not start while a child of the killed server still runs.
      Awaitility.await()
          .atMost(START_TIMEOUT)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> all.stream().noneMatch(ProcessHandle::isAlive));
    }

    private void control(String... arguments) {
      List<String> command = new ArrayList<>();
      if (LinuxUtils.isUnshareAvailable()) {
        // The server refuses to run as root.
        command.addAll(List.of("unshare", "-U"));
      }
      command.addAll(List.of(binaries + "/pg_ctl", "-D", directory.toString()));
      command.addAll(List.of(arguments));
      try {
        Process process =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("control.log").toFile())
                .start();
        if (process.waitFor() != 0) {
          throw new IllegalStateException(
              command + ": " + Files.readString(directory.resolve("control.log")));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    void close() {
      if (Files.exists(directory.resolve("postmaster.pid")) && living().isPresent()) {
        stop();
      }
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
