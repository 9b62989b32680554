/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.http.RunningDoor.Answer;
import io.forebay.operations.SetAside;
import io.forebay.queue.MissingMessages;
import io.forebay.service.ServiceState.Phase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A statement that was accepted is damaged on disk before it is performed. */
class DamagedQueueTest {

  private static final String INSERT = "/api/v1/statements/orders.insert";
  private static final String COUNT = "/api/v1/statements/orders.count";

  @TempDir Path directory;
  private Path data;

  private RunningDoor start() throws IOException {
    data = directory.resolve("data");
    RunningDoor.catalogue(
        data,
        """
        statements:
          - name: orders.insert
            sql: insert into orders (id, item) values (:id, :item)
            params: [{name: id, type: long}, {name: item, type: text}]
          - name: orders.count
            kind: query
            sql: select count(*) as n from orders
        """);
    List<String> properties = new ArrayList<>(HsqldbDoorTest.own(data, HsqldbDoorTest.TABLES));
    properties.add("forebay.backend=chronicle");
    return RunningDoor.start(data, properties);
  }

  private static Answer insert(RunningDoor door, int id, String query) throws Exception {
    return door.post("web", INSERT + query, "{\"id\":%d,\"item\":\"tea-%d.\"}".formatted(id, id));
  }

  private void damage(String text) throws IOException {
    try (Stream<Path> all = Files.walk(data.resolve("queues").resolve("main.in"))) {
      for (Path file : all.filter(each -> each.toString().endsWith(".cq4")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
        assertThat(at).isPositive();
        bytes[at] ^= 1;
        Files.write(file, bytes);
      }
    }
  }

  @Test
  void otherStatementsArePerformedAfterAnOperatorSetTheDamagedOneAside() throws Exception {
    try (RunningDoor door = start()) {
      assertThat(insert(door, 0, "?wait=20s").status()).isEqualTo(200);
      pause(door.service(), "test");
      for (int i = 1; i < 20; i++) {
        assertThat(insert(door, i, "").status()).isEqualTo(202);
      }
    }
    damage("tea-12.");
    try (RunningDoor door = start()) {
      await()
          .untilAsserted(() -> assertThat(door.service().state().toString()).startsWith("FAILED"));
      assertThat(door.service().view().partitions().getFirst().position()).hasValue(12);
      Answer refused = insert(door, 20, "");
      assertThat(refused.status()).as(refused.text()).isEqualTo(503);
      assertThat(refused.body().path("reason").asString("")).isEqualTo("failed");
      assertThat(door.service().setAside(0))
          .containsExactly(new SetAside("main.in", List.of(new MissingMessages(12, 12))));
    }
    try (RunningDoor door = start()) {
      assertThat(insert(door, 21, "?wait=20s").status()).isEqualTo(200);
      Answer count = door.post("web", COUNT + "?wait=20s", "{}");
      assertThat(count.body().path("rows").get(0).get(0).asInt()).isEqualTo(20);
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 0", "1, 1"})
  void theNewestPerformedAndTheOldestWaitingStatementCanBeSetAside(int performed, int waiting)
      throws Exception {
    try (RunningDoor door = start()) {
      for (int i = 0; i < performed; i++) {
        assertThat(insert(door, i, "?wait=20s").status()).isEqualTo(200);
      }
      pause(door.service(), "test");
      for (int i = performed; i < performed + waiting; i++) {
        assertThat(insert(door, i, "").status()).isEqualTo(202);
      }
    }
    damage("tea-0.");
    try (RunningDoor door = start()) {
      await()
          .untilAsserted(() -> assertThat(door.service().state().toString()).startsWith("FAILED"));
      assertThat(door.service().state().reason())
          .contains("is damaged: at message 0")
          .doesNotContain("older state");
      assertThat(door.service().setAside(0))
          .contains(new SetAside("main.in", List.of(new MissingMessages(0, 0))));
    }
    try (RunningDoor door = start()) {
      assertThat(insert(door, 9, "?wait=20s").status()).isEqualTo(200);
      Answer count = door.post("web", COUNT + "?wait=20s", "{}");
      assertThat(count.body().path("rows").get(0).get(0).asInt())
          .isEqualTo(performed + performed * waiting + 1);
    }
  }

  /** What remains of the queue ends with a gap. */
  @Test
  void theGatewayStartsAgainAfterTheLastStatementsWereSetAside() throws Exception {
    try (RunningDoor door = start()) {
      assertThat(insert(door, 0, "?wait=20s").status()).isEqualTo(200);
      pause(door.service(), "test");
      assertThat(insert(door, 1, "").status()).isEqualTo(202);
    }
    damage("tea-1.");
    try (RunningDoor door = start()) {
      await()
          .untilAsserted(() -> assertThat(door.service().state().toString()).startsWith("FAILED"));
      assertThat(door.service().setAside(0))
          .containsExactly(new SetAside("main.in", List.of(new MissingMessages(1, 1))));
    }
    for (int start = 0; start < 2; start++) {
      try (RunningDoor door = start()) {
        await()
            .until(() ->
                door.service().position(0) == 2 || door.service().state().phase() == Phase.FAILED);
        assertThat(door.service().state().phase()).isEqualTo(Phase.RUNNING);
      }
    }
    try (RunningDoor door = start()) {
      assertThat(insert(door, 2, "?wait=20s").status()).isEqualTo(200);
    }
  }
}
