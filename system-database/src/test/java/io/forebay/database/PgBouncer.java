/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import static org.junit.jupiter.api.Assumptions.abort;

import io.forebay.testing.ChildProcess;
import io.forebay.testing.Ports;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The pooler that most use with PostgreSQL. Without its package tests are skipped, and say so;
 * where {@code CI} is set they fail.
 */
public final class PgBouncer implements AutoCloseable {

  private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

  private final ChildProcess process;
  private final PGSimpleDataSource dataSource = new PGSimpleDataSource();

  public static void assumeThere() {
    if (!Files.isExecutable(PROGRAM)) {
      String reason = PROGRAM + " does not exist (apt-get install pgbouncer); no pooler is tried";
      if (System.getenv("CI") != null) {
        throw new AssertionError(reason);
      }
      System.err.println("skipped: " + reason);
      abort(reason);
    }
  }

  public static PgBouncer start(Path directory, TestPostgres postgres, String mode, int size)
      throws IOException {
    URI server = URI.create(postgres.url().substring("jdbc:".length()));
    int port = Ports.free();
    Path users = Files.writeString(directory.resolve("users"), "\"forebay_gateway\" \"\"\n");
    Path settings =
        Files.writeString(
            directory.resolve("pgbouncer.ini"),
            """
            [databases]
            %1$s = host=127.0.0.1 port=%2$d dbname=%1$s
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = %3$d
            unix_socket_dir =
            auth_type = trust
            auth_file = %4$s
            pool_mode = %5$s
            default_pool_size = %6$d
            ignore_startup_parameters = extra_float_digits
            """
                .formatted(postgres.database(), server.getPort(), port, users, mode, size));
    List<String> command = new ArrayList<>();
    if (LinuxUtils.isUnshareAvailable()) {
      command.addAll(List.of("unshare", "-U")); // it refuses to run as root
    }
    command.addAll(List.of(PROGRAM.toString(), settings.toString()));
    PgBouncer pooler =
        new PgBouncer(
            ChildProcess.start(new ProcessBuilder(command)).within(Duration.ofSeconds(60)),
            port,
            postgres.database());
    pooler.process.until(() -> isListening(port));
    return pooler;
  }

  private PgBouncer(ChildProcess process, int port, String database) {
    this.process = process;
    dataSource.setServerNames(new String[] {"127.0.0.1"});
    dataSource.setPortNumbers(new int[] {port});
    dataSource.setDatabaseName(database);
    dataSource.setUser("forebay_gateway");
  }

  /** As the gateway's role, through the pooler. */
  public DataSource dataSource() {
    return dataSource;
  }

  private static boolean isListening(int port) {
    try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
