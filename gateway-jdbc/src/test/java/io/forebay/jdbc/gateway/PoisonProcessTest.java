/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.database.TestDatabase;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.service.ServiceOptions;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A message for which the heap is too small ends a real process each time it is performed, as
 * {@code -XX:+ExitOnOutOfMemoryError} in the image does.
 */
@Tag("proof")
class PoisonProcessTest {

  private static final String INSERT = "insert into item (id) values (?)";
  private static final String POISON = "insert into item (id) values (? + 1000)";
  private static final int MESSAGES = 8;
  private static final int POISON_AT = 1;

  /** Of a JVM that ended because of an OutOfMemoryError. */
  private static final int OUT_OF_MEMORY = 3;

  @TempDir Path directory;

  @Test
  void itIsTriedInSmallerPiecesAfterEachRestartAndFailsWhileItsNeighboursTakeEffect()
      throws Exception {
    try (ShopOnDisk shop = new ShopOnDisk(directory)) {
      shop.run(service -> {
        pause(service, "so that they are performed in the other process");
        send(service);
      });
    }
    int ended = 0;
    Optional<String> output = life();
    for (; output.isEmpty(); output = life()) {
      assertThat(++ended).as("how often the process ended").isLessThan(20);
    }
    assertThat(ended).as("tried more than once, and alone before it is given up").isBetween(6, 12);
    try (TestDatabase database = TestDatabase.hsqldb(directory.resolve("database"))) {
      assertThat(database.rows("select id from item order by id"))
          .containsExactly("0", "2", "3", "4", "5", "6", "7");
      assertThat(database.rows("select kind from forebay.failed_message"))
          .containsExactly("POISON");
    }
    assertThat(output.get()).contains("results [1, POISON, 1, 1, 1, 1, 1, 1]");
  }

  private static void send(JDBCService service) {
    try (Writer<JDBCStatement> writer = service.createWriter()) {
      for (int i = 0; i < MESSAGES; i++) {
        writer.calls().executeUpdate(i == POISON_AT ? POISON : INSERT, (long) i);
      }
      writer.await(ShopOnDisk.SOON);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** The output of one life; empty if it ended because of an OutOfMemoryError. */
  private Optional<String> life() {
    List<String> options =
        ChildProcess.options(
            "-Xmx64m",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1");
    try (ChildProcess process =
        ChildProcess.start(ChildProcess.java(options, Shop.class, directory))) {
      if (process.awaitEnd() == 0) {
        return Optional.of(process.output());
      }
      process.awaitEnd(OUT_OF_MEMORY);
      return Optional.empty();
    }
  }

  /** The gateway in a process of its own, which ends when all is answered. */
  static final class Shop {

    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[0]);
      List<String> results = new ArrayList<>();
      try (TestDatabase database = TestDatabase.hsqldb(directory.resolve("database"));
          ChronicleBackend queues =
              ChronicleBackend.open(
                  directory.resolve("data"),
                  ChronicleBackend.Options.defaults().withMinFree(1 << 20, 0.001));
          JDBCService service =
              JDBCService.builder("shop")
                  .queues(queues, 1)
                  .dataSource(WatchedDriver.over(database.gateway(), Shop::execute))
                  .migrate(database.owner())
                  .options(ServiceOptions.defaults().withMaxBatch(MESSAGES))
                  .build();
          Reader<JDBCResult> reader = service.createReader(new ResultLog(results, null))) {
        reader.toStart();
        service.start();
        await()
            .pollInSameThread()
            .atMost(ShopOnDisk.SOON)
            .until(() -> reader.poll(MESSAGES) == 0 && results.size() == MESSAGES);
      }
      System.out.println("results " + results);
    }

    /** As a driver that needs more memory for one statement than there is. */
    private static void execute(String sql) {
      if (sql.equals(POISON)) {
        System.out.println("needs " + new long[Integer.MAX_VALUE / 2].length);
      }
    }
  }
}
