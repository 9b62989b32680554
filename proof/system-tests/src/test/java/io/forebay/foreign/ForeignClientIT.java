/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.jdbc.Results;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.kafka.KafkaBackend;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.Partitioner;
import io.forebay.service.ServiceState;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Python programs that know Kafka, CBOR and {@code docs/message-format.md}, but no Forebay code,
 * send statements to a gateway and read its results.
 */
@Tag("proof")
class ForeignClientIT {

  private static final String PREFIX = "foreign.";
  private static final int PARTITIONS = 2;
  private static final Path EVERY_KIND =
      Path.of("src/test/resources/foreign_client.py").toAbsolutePath();

  @Test
  void everyTypeWorksInBothDirectionsAndInvalidMessagesStopNothing() throws Exception {
    Python.assumeThere();
    try (TestPostgres postgres = TestPostgres.shared();
        KafkaBackend backend =
            KafkaBackend.open(
                KafkaBackend.Options.of(TestBroker.shared())
                    .withPrefix(PREFIX)
                    .withKeys(() -> List.of("a key that the programs do not have")))) {
      postgres.createTable(
          "create table everything (id bigint primary key, truth boolean, whole bigint,"
              + " floating double precision, decimal_number numeric, words text, bytes bytea,"
              + " day date, clock time, local_moment timestamp, moment timestamptz, uid uuid,"
              + " document jsonb, many bigint[])");
      try (JDBCService shop =
          JDBCService.builder("shop")
              .queues(backend, PARTITIONS)
              .dataSource(postgres.gateway())
              .migrate(postgres.owner())
              .acceptText(true)
              .results(Results.RUNS)
              .build()) {
        shop.start();
        JsonNode told =
            JsonMapper.shared()
                .readTree(
                    Python.run(
                        EVERY_KIND,
                        Python.EXAMPLE.toString(),
                        TestBroker.shared(),
                        PREFIX,
                        "shop"));
        assertThat(shop.states().values()).allMatch(it -> it.phase() == ServiceState.Phase.RUNNING);
        theEffectsAreThere(postgres);
        whatWasNotAllowedIsADeadLetter(postgres, told.path("undecodable").asInt());
        thePartitionsAreTheOnesOfAJavaClient(told);
        theProgramsOfTheExampleWork(postgres, TestBroker.shared());
      }
    }
  }

  private static void theEffectsAreThere(TestPostgres postgres) throws SQLException {
    assertThat(rows(postgres, "select id, whole, truth, words from everything where id < 10"))
        .containsExactlyInAnyOrder("1|-9223372036854775808|t|both", "2|null|t|both", "3|1|f|both");
    assertThat(rows(postgres, "select client || ' ' || idem_key from forebay.request"))
        .containsExactly("kafka:shop order 7");
    assertThat(rows(postgres, "select count(*) from everything where id >= 10"))
        .containsExactly("30");
  }

  private static void whatWasNotAllowedIsADeadLetter(TestPostgres postgres, int undecodable)
      throws SQLException {
    assertThat(
            rows(postgres, "select count(*) from forebay.failed_message where sql_state is null"))
        .containsExactly(Integer.toString(undecodable));
    assertThat(
            rows(
                postgres,
                "select distinct kind from forebay.failed_message where sql_state is null"))
        .containsExactlyInAnyOrder(
            "MALFORMED",
            "UNKNOWN_VERSION",
            "UNKNOWN_METHOD",
            "WRONG_ARITY",
            "WRONG_TYPE",
            "UNKNOWN_ALIAS");
  }

  private static void thePartitionsAreTheOnesOfAJavaClient(JsonNode told) {
    assertThat(told.path("one").asInt()).isEqualTo(Partitioner.partition("one", PARTITIONS));
    assertThat(told.path("partitions").properties())
        .hasSizeGreaterThan(30)
        .allSatisfy(entry -> {
          ByteBuffer id = ByteBuffer.wrap(HexFormat.of().parseHex(entry.getKey()));
          assertThat(entry.getValue().asInt())
              .isEqualTo(Partitioner.partition(new UUID(id.getLong(), id.getLong()), PARTITIONS));
        });
  }

  private void theProgramsOfTheExampleWork(TestPostgres postgres, String servers) throws Exception {
    String[] where = {"--servers", servers, "--prefix", PREFIX, "--gateway", "shop"};
    JsonNode accepted =
        JsonMapper.shared()
            .readTree(
                Python.run(
                    Python.EXAMPLE.resolve("produce.py"),
                    with(
                        where, "insert into everything (id, words) values (?, ?)", "99", "\"Ä\"")));
    assertThat(accepted.path("position").asLong(-1)).isNotNegative();
    assertThat(UUID.fromString(accepted.path("id").asString()).version()).isEqualTo(7);

    JsonNode first =
        JsonMapper.shared()
            .readTree(
                Python.run(
                    Python.EXAMPLE.resolve("results.py"),
                    with(where, "--count", "1", "--group", "another")));
    assertThat(first.path("answers").get(0).get(0).asString()).isIn("updateResult", "updateThrown");
    await()
        .untilAsserted(() ->
            assertThat(rows(postgres, "select words from everything where id = 99"))
                .containsExactly("Ä"));
  }

  private static String[] with(String[] where, String... more) {
    List<String> all = new ArrayList<>(List.of(where));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private static List<String> rows(TestPostgres postgres, String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = postgres.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet resultSet = statement.executeQuery(query)) {
      while (resultSet.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= resultSet.getMetaData().getColumnCount(); i++) {
          row.add(String.valueOf(resultSet.getString(i)));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }
}
