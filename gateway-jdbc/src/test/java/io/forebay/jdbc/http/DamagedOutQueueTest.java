/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.http.RunningDoor.Answer;
import io.forebay.service.ServiceState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The files of an out-queue are damaged or missing at the start. */
@ExtendWith(OutputCaptureExtension.class)
class DamagedOutQueueTest {

  private static final String INSERT = "/api/v1/statements/orders.insert";
  private static final String ORDER = "{\"id\":%d,\"item\":\"tea\"}";

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
        """);
    List<String> properties = new ArrayList<>(HsqldbDoorTest.own(data, HsqldbDoorTest.TABLES));
    properties.add("forebay.backend=chronicle");
    return RunningDoor.start(data, properties);
  }

  /** Performs a few statements and stops. */
  private List<String> before() throws IOException {
    List<String> results = new ArrayList<>();
    try (RunningDoor door = start()) {
      for (int i = 0; i < 5; i++) {
        Answer answer =
            door.post(
                "web", INSERT + "?wait=20s", ORDER.formatted(i), "Idempotency-Key", "key-" + i);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        results.add(answer.header("Location"));
      }
    }
    return results;
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(data.resolve("queues"))) {
      return all.filter(file -> file.toString().contains("main.out"))
          .filter(file -> file.toString().endsWith(".cq4"))
          .toList();
    }
  }

  /** Overwrites the end of each message; finds messages by the text of their type. */
  private void damage() throws IOException {
    for (Path file : files()) {
      byte[] bytes = Files.readAllBytes(file);
      byte[] wanted = "updateResult".getBytes(StandardCharsets.US_ASCII);
      int found = 0;
      for (int i = 0; i + wanted.length < bytes.length; i++) {
        if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
          bytes[i] = 'X';
          found++;
        }
      }
      assertThat(found).as("messages in %s", file).isPositive();
      Files.write(file, bytes);
    }
  }

  private static void assertFailed(Answer answer, String reason) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(503);
    assertThat(answer.problem()).isEqualTo("queue-unavailable");
    assertThat(answer.body().path("reason").asString("")).isEqualTo(reason);
    assertThat(answer.text()).doesNotContain("Exception", "checksum");
  }

  @Test
  void aDamagedOutQueueIsReportedToSendersAsAFailedQueue(CapturedOutput output) throws Exception {
    List<String> results = before();
    damage();
    try (RunningDoor door = start()) {
      await()
          .untilAsserted(() ->
              assertThat(door.post("web", INSERT, ORDER.formatted(9)).status()).isEqualTo(503));
      for (int i = 0; i < 3; i++) {
        assertFailed(door.post("web", INSERT, ORDER.formatted(10 + i)), "failed");
        assertFailed(door.post("web", INSERT + "?wait=1s", ORDER.formatted(20 + i)), "failed");
      }
      for (String result : results) {
        assertThat(door.get("web", result).status()).as("kept in the database").isEqualTo(200);
        String unknown = result.replaceAll("results/.{8}", "results/00000000");
        assertThat(door.get("web", unknown).status()).as(unknown).isIn(404, 503);
      }
    }
    assertThat(output.getAll()).doesNotContain("POST " + INSERT + " failed");
  }

  @Test
  void anIdleServiceWhoseOutQueueIsDamagedIsFailed() throws Exception {
    before();
    damage();
    try (RunningDoor door = start()) {
      await()
          .untilAsserted(() ->
              assertThat(door.service().view().state().phase())
                  .isEqualTo(ServiceState.Phase.FAILED));
      // The partition refuses an answer of its own, or the reader of results finds the damage
      // first.
      assertThat(door.service().view().state().reason()).contains("main.out");
      assertThat(door.service().view().partitions().getFirst().out().damage()).isNotNull();
    }
  }

  @Test
  void aMissingOutQueueIsReported(CapturedOutput output) throws Exception {
    List<String> results = before();
    for (Path file : files()) {
      try (Stream<Path> all = Files.walk(file.getParent())) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
    try (RunningDoor door = start()) {
      assertThat(door.post("web", INSERT + "?wait=20s", ORDER.formatted(10)).status())
          .isEqualTo(200);
      for (String result : results) {
        assertThat(door.get("web", result).status()).as("kept in the database").isEqualTo(200);
      }
    }
    assertThat(output.getAll())
        .contains(
            "Out-queue of partition 0 of service main is empty, but statements up to 5 were performed");
  }
}
