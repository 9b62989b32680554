/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestPostgres;
import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Opens what version 0.1.0 has left: a data directory of Chronicle with its embedded database, and
 * the topics of a broker with a dump of PostgreSQL. With {@code -Dforebay.golden.write=true} it
 * first writes them anew, which nobody may do after the release.
 */
class GoldenDataIT {

  private static final boolean WRITES = Boolean.getBoolean("forebay.golden.write");
  private static final Path GOLDEN =
      Path.of("src/test/resources/io/forebay/app/golden").toAbsolutePath();
  private static final Path CATALOGUE = GOLDEN.resolve("catalogue.yaml");

  /** Retention deletes nothing, however old the data are. */
  private static final Map<String, String> FOREVER =
      Map.of(
          "FOREBAY_GATEWAYS_MAIN_RESULTSKEPT", "36500d",
          "FOREBAY_KAFKA_RETENTION", "36500d",
          "FOREBAY_SECURITY_TOKENLIFETIME", "3650d");

  @TempDir Path directory;

  @Test
  void theDataDirectoryOfChronicleAndItsDatabase() throws Exception {
    GoldenHistory history = new GoldenHistory(GOLDEN.resolve("chronicle.json"));
    if (WRITES) {
      Path data = directory.resolve("written");
      try (KafkaInstance instance = onChronicle(data)) {
        history.write(instance);
      }
      Files.delete(data.resolve("admin-credentials"));
      pack(data, "chronicle.tar.gz");
    }
    try (KafkaInstance instance = onChronicle(unpack("chronicle.tar.gz"))) {
      history.check(instance);
    }
  }

  private static KafkaInstance onChronicle(Path data) throws IOException {
    return new KafkaInstance(
        ForebayProcess.start(
            data,
            FOREVER,
            "--forebay.gateways.main.migrations=filesystem:" + GOLDEN.resolve("tables"),
            "--forebay.door.catalogue=" + CATALOGUE.toUri()));
  }

  @Test
  void theTopicsOfKafkaAndTheTablesOfPostgresql() throws Exception {
    GoldenHistory history = new GoldenHistory(GOLDEN.resolve("kafka.json"));
    if (WRITES) {
      Path topics = directory.resolve("written");
      Path dump = Files.createDirectory(directory.resolve("dump"));
      try (TestPostgres database = database()) {
        try (BrokerProcess broker = TestBroker.start(topics, Map.of());
            KafkaInstance instance = onKafka(broker, database, "writer")) {
          history.write(instance);
        }
        PostgresDump.write(database.owner(), dump);
      }
      pack(topics.resolve("data"), "kafka.tar.gz");
      pack(dump, "postgresql.tar.gz");
    }
    Path topics = directory.resolve("broker");
    Files.move(unpack("kafka.tar.gz"), Files.createDirectory(topics).resolve("data"));
    try (TestPostgres database = database()) {
      PostgresDump.restore(database.owner(), unpack("postgresql.tar.gz"));
      try (BrokerProcess broker = TestBroker.start(topics, Map.of());
          KafkaInstance instance = onKafka(broker, database, "reader")) {
        history.check(instance);
      }
    }
  }

  private static TestPostgres database() {
    TestPostgres database = TestPostgres.shared();
    database.createTable("create table event (id int primary key)");
    return database;
  }

  private KafkaInstance onKafka(BrokerProcess broker, TestPostgres database, String name)
      throws IOException {
    Map<String, String> variables = new HashMap<>(FOREVER);
    variables.put("FOREBAY_KAFKA_PROPERTIES_BOOTSTRAP_SERVERS", broker.bootstrap());
    return new KafkaInstance(
        KafkaInstance.launch(directory.resolve(name), variables, database, CATALOGUE));
  }

  @Test
  void allOfItIsSmall() throws IOException {
    try (Stream<Path> files = Files.walk(GOLDEN)) {
      assertThat(files.filter(Files::isRegularFile).mapToLong(it -> it.toFile().length()).sum())
          .isBetween(20_000L, 1L << 20);
    }
  }

  /** With modes and times, which belong to a backup. */
  private static void pack(Path folder, String name) {
    ChildProcess.run("tar", "-czf", GOLDEN.resolve(name).toString(), "-C", folder.toString(), ".");
  }

  private Path unpack(String name) throws IOException {
    Path folder = Files.createDirectory(directory.resolve(name));
    ChildProcess.run("tar", "-xzf", GOLDEN.resolve(name).toString(), "-C", folder.toString());
    return folder;
  }
}
