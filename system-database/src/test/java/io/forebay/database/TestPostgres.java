/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.testing.Ports;
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
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * A PostgreSQL database with the two roles of {@code docs/start.md}, on a real server that keeps
 * what it commits ({@code fsync} and {@code synchronous_commit} on; the test library turns both
 * off). Its files are in memory, if there is enough: a database is then created in a quarter of the
 * time.
 *
 * <pre>{@code
 * try (TestPostgres postgres = TestPostgres.shared()) {   // a new database in the server of this JVM
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

  private final String address;
  private final Optional<Server> own;
  private final String database = "test_" + DATABASES.incrementAndGet();

  private TestPostgres(String address, Optional<Server> own) {
    this.address = address;
    this.own = own;
    execute(
        dataSource(address, "postgres", "postgres"),
        "do $$ begin if to_regrole('forebay_owner') is null then create role forebay_owner login;"
            + " create role forebay_gateway login; end if; end $$",
        "create database " + database + " owner forebay_owner");
  }

  /**
   * A new database in the server that all tests of this JVM share: a {@link #container} if property
   * {@code forebay.test.containers} is true, otherwise a process. Do not stop that server.
   */
  public static TestPostgres shared() {
    return new TestPostgres(Shared.ADDRESS, Optional.empty());
  }

  /** A server of the public image that keeps what it commits, to be started. */
  public static PostgreSQLContainer container() {
    return new PostgreSQLContainer("postgres:18.6")
        .withUsername("postgres")
        .withDatabaseName("postgres")
        .withEnv("POSTGRES_HOST_AUTH_METHOD", "trust")
        .withCommand("postgres");
  }

  /** A separate server. */
  public static TestPostgres start() {
    return start(Map.of());
  }

  /** A separate server with these settings, which override the durable ones. */
  public static TestPostgres start(Map<String, String> settings) {
    Server server = new Server(settings);
    return new TestPostgres(server.address(), Optional.of(server));
  }

  /** A separate server with the superuser alone, which asks all other roles for a password. */
  public static EmbeddedPostgres withPasswords(Path data) throws IOException {
    return EmbeddedPostgres.builder()
        .setDataDirectory(data)
        .setDataDirectoryCustomizer(cluster -> askForPasswords(cluster.toPath()))
        .setServerConfig("fsync", "on")
        .setServerConfig("full_page_writes", "on")
        .setPGStartupWait(START_TIMEOUT)
        .start();
  }

  private static void askForPasswords(Path cluster) {
    try {
      Files.writeString(
          cluster.resolve("pg_hba.conf"),
          """
          host all postgres 127.0.0.1/32 trust
          host all all      127.0.0.1/32 scram-sha-256
          """);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
    return dataSource(address, role, database);
  }

  private static DataSource dataSource(String address, String role, String database) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(url(address, database));
    dataSource.setUser(role);
    return dataSource;
  }

  String gatewayRole() {
    return "forebay_gateway";
  }

  public String database() {
    return database;
  }

  public String url() {
    return url(address, database);
  }

  private static String url(String address, String database) {
    return "jdbc:postgresql://" + address + "/" + database;
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
    return own.orElseThrow(
        () -> new IllegalStateException("Other tests use this server; take one with start()"));
  }

  @Override
  public void close() {
    own.ifPresentOrElse(
        Server::close,
        () ->
            execute(
                dataSource(address, "postgres", "postgres"),
                "drop database " + database + " with (force)"));
  }

  private static final class Shared {

    static final String ADDRESS = start();

    private static String start() {
      if (Boolean.getBoolean("forebay.test.containers")) {
        PostgreSQLContainer container = container();
        container.start();
        return container.getHost() + ":" + container.getFirstMappedPort();
      }
      Server server = new Server(Map.of());
      Runtime.getRuntime().addShutdownHook(new Thread(server::close));
      return server.address();
    }
  }

  /**
   * A server in a directory of its own. The library unpacks, initialises and first starts it; it
   * cannot start a server again, so the rest is done by the server's own means.
   */
  private static final class Server {

    private final Path directory;
    private final int port = Ports.free();
    private final String binaries;

    Server(Map<String, String> settings) {
      Map<String, String> all = new HashMap<>(DURABLE);
      all.putAll(settings);
      try {
        directory = TestFiles.directory("forebay-postgres");
        EmbeddedPostgres.Builder builder =
            EmbeddedPostgres.builder()
                .setDataDirectory(directory)
                .setPort(port)
                .setDataDirectoryCustomizer(data -> configure(data.toPath(), all))
                .setRegisterShutdownHook(false)
                .setPGStartupWait(START_TIMEOUT);
        all.forEach(builder::setServerConfig);
        builder.start();
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

    String address() {
      return "127.0.0.1:" + port;
    }

    private String query(String sql) {
      try (Connection connection = dataSource(address(), "postgres", "postgres").getConnection();
          ResultSet row = connection.createStatement().executeQuery(sql)) {
        row.next();
        return row.getString(1);
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
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
      run("kill", "-STOP", Long.toString(server.pid())); // it starts no other child now
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
      run(command.toArray(String[]::new));
    }

    private void run(String... command) {
      try {
        Process process =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("control.log").toFile())
                .start();
        if (process.waitFor() != 0) {
          throw new IllegalStateException(
              "%s: %s%s".formatted(List.of(command), log("control.log"), log("server.log")));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    private String log(String name) throws IOException {
      Path log = directory.resolve(name);
      return Files.exists(log) ? Files.readString(log) : "";
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
