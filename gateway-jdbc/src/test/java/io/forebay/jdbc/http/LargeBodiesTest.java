/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.http.RunningDoor.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slow clients whose large bodies are on their way at the same time. */
class LargeBodiesTest {

  private static final String ADD = "/api/v1/statements/notes.add";
  private static final int LARGE = 60_000;

  private static final String CATALOGUE =
      """
      statements:
        - name: notes.add
          sql: insert into note (id, text) values (:id, :text)
          params: [{name: id, type: long}, {name: text, type: text}]
      """;
  private static final String TABLE =
      "create table note (id bigint primary key, text varchar(100000));";

  @TempDir static Path directory;
  private static RunningDoor door;
  private static final AtomicInteger ids = new AtomicInteger();

  @BeforeAll
  static void open() throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(data, CATALOGUE);
    List<String> properties = new ArrayList<>(HsqldbDoorTest.own(data, TABLE));
    properties.add("forebay.door.max-body=64KB");
    door = RunningDoor.start(data, properties, bodies(128 << 10));
  }

  private static DoorLimits bodies(int bytes) {
    return new DoorLimits(Duration.ofSeconds(10), Duration.ofSeconds(30), 10, 10, bytes, 1 << 20);
  }

  @AfterAll
  static void close() {
    door.close();
  }

  private static String body(int length) {
    return "{\"id\":%d,\"text\":\"%s\"}".formatted(ids.incrementAndGet(), "x".repeat(length));
  }

  @Test
  void moreThanTheLimitAreRefusedUntilOthersAreHandedOver() throws Exception {
    try (SlowClient first = new SlowClient(door, "web", true);
        SlowClient second = new SlowClient(door, "other", true)) {
      await().untilAsserted(() -> isRefused(door.post("third", ADD, body(LARGE))));
      isRefused(sendWithoutLength(body(LARGE)));
      assertThat(door.post("third", ADD, body(4_000)).status()).isEqualTo(202);
      assertThat(sendWithoutLength(body(4_000)).status()).isEqualTo(202);
      assertThat(first.sendTheRest()).startsWith("HTTP/1.1 202");
      await()
          .untilAsserted(
              () -> assertThat(door.post("third", ADD, body(LARGE)).status()).isEqualTo(202));
      assertThat(second.sendTheRest()).startsWith("HTTP/1.1 202");
    }
  }

  @Test
  void oneCallerTakesAQuarterAtMost() throws Exception {
    Path data = directory.resolve("quarter");
    RunningDoor.catalogue(data, CATALOGUE);
    List<String> properties = new ArrayList<>(HsqldbDoorTest.own(data, TABLE));
    properties.add("forebay.door.max-body=64KB");
    try (RunningDoor roomy = RunningDoor.start(data, properties, bodies(512 << 10));
        SlowClient _ = new SlowClient(roomy, "web", true);
        SlowClient _ = new SlowClient(roomy, "web", true)) {
      await()
          .untilAsserted(() ->
              assertThat(roomy.post("web", ADD, body(LARGE)).problem())
                  .isEqualTo("too-many-bytes"));
      assertThat(roomy.post("other", ADD, body(LARGE)).status()).isEqualTo(202);
    }
  }

  @Test
  void clientsThatGiveUpOrSendWhatIsNotTakenGiveTheirBytesBack() throws Exception {
    for (int i = 0; i < 3; i++) {
      try (SlowClient _ = new SlowClient(door, "web", true);
          SlowClient _ = new SlowClient(door, "other", true)) {
        await().untilAsserted(() -> isRefused(door.post("third", ADD, body(LARGE))));
      }
      await()
          .untilAsserted(() ->
              assertThat(door.post("web", ADD, "[" + " ".repeat(LARGE)).status()).isEqualTo(400));
      await()
          .untilAsserted(() -> assertThat(sendWithoutLength(body(LARGE)).status()).isEqualTo(202));
    }
  }

  @Test
  void whoWaitsForAResultHoldsNoBytesOfTheBody() throws Exception {
    pause(door.service(), "so that all wait");
    List<SlowClient> waiting = new ArrayList<>();
    try {
      for (int i = 0; i < 5; i++) {
        SlowClient client = new SlowClient(door, "web", false);
        waiting.add(client);
        long end = door.service().in().stats(0).end().orElseThrow();
        client.sendRest();
        await().until(() -> door.service().in().stats(0).end().orElseThrow() > end);
      }
    } finally {
      door.service().resume();
    }
    for (SlowClient client : waiting) {
      assertThat(client.status()).startsWith("HTTP/1.1 200");
      client.close();
    }
  }

  private static Answer sendWithoutLength(String body) {
    return door.send(
        door.request("third", ADD)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.fromPublisher(BodyPublishers.ofString(body))));
  }

  private static void isRefused(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(429);
    assertThat(answer.problem()).isEqualTo("too-many-bytes");
    assertThat(answer.header("Retry-After")).isEqualTo("1");
    assertThat(answer.body().get("limitBytes").asInt()).isEqualTo(128 * 1024);
  }

  /** Sends half of a large body, and the rest when it is asked to. */
  private static final class SlowClient implements AutoCloseable {

    private final byte[] body = body(LARGE).getBytes(StandardCharsets.US_ASCII);
    private final Socket socket;
    private final OutputStream out;

    SlowClient(RunningDoor door, String caller, boolean answeredAtOnce) throws IOException {
      URI address = door.address();
      socket = new Socket(address.getHost(), address.getPort());
      socket.setSoTimeout(60_000);
      out = socket.getOutputStream();
      String head =
          """
          POST %s%s HTTP/1.1\r
          Host: a\r
          X-Caller: %s\r
          Content-Type: application/json\r
          Content-Length: %d\r
          \r
          """
              .formatted(ADD, answeredAtOnce ? "" : "?wait=30s", caller, body.length);
      out.write(head.getBytes(StandardCharsets.US_ASCII));
      out.write(body, 0, LARGE / 2);
    }

    void sendRest() throws IOException {
      out.write(body, LARGE / 2, body.length - LARGE / 2);
    }

    String sendTheRest() throws IOException {
      sendRest();
      return status();
    }

    String status() throws IOException {
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
          .readLine();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
