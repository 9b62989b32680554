/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.http.RunningDoor.Answer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that ask for large results and read them slowly. */
class LargeResultsTest {

  private static final String LIST = "/api/v1/statements/notes.list";

  @TempDir static Path directory;
  private static RunningDoor door;

  @BeforeAll
  static void open() throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(
        data,
        """
        statements:
          - name: notes.add
            sql: insert into note (id, text) values (:id, :text)
            params: [{name: id, type: long}, {name: text, type: text}]
          - name: notes.list
            kind: query
            sql: select id, text from note
          - name: notes.count
            kind: query
            sql: select count(*) as number from note
        """);
    List<String> properties =
        new ArrayList<>(
            HsqldbDoorTest.own(
                data, "create table note (id bigint primary key, text varchar(100000));"));
    DoorLimits limits =
        new DoorLimits(Duration.ofSeconds(10), Duration.ofSeconds(30), 10, 10, 1 << 20, 512 << 10);
    door = RunningDoor.start(data, properties, limits);
    for (int id = 0; id < 8; id++) {
      String note = "{\"id\":%d,\"text\":\"%s\"}".formatted(id, "x".repeat(40_000));
      assertThat(door.post("web", "/api/v1/statements/notes.add?wait=20s", note).status())
          .isEqualTo(200);
    }
  }

  @AfterAll
  static void close() {
    door.close();
  }

  @Test
  void aResultBeyondTheLimitIsKeptUntilOthersWereTaken() throws Exception {
    try (Socket slow = askAndReadNothing()) {
      assertThat(slow.isConnected()).isTrue();
      await().until(() -> list().status() == 202);
      Answer accepted = list();
      assertThat(accepted.body().path("id").asString()).as(accepted.text()).isNotEmpty();
      String location = accepted.header("Location");
      await().until(() -> door.get("web", location).status() == 429);
      Answer refused = door.get("web", location);
      assertThat(refused.problem()).isEqualTo("too-many-bytes");
      assertThat(refused.header("Retry-After")).isEqualTo("1");
      Answer small = door.post("web", "/api/v1/statements/notes.count?wait=20s", "{}");
      assertThat(small.status()).as(small.text()).isEqualTo(200);

      slow.close();
      await().until(() -> door.get("web", location).status() == 200);
      Answer result = door.get("web", location);
      assertThat(result.body().path("rows")).hasSize(8);
    }
    assertThat(list().status()).isEqualTo(200);
  }

  private static Answer list() {
    return door.post("web", LIST + "?wait=20s", "{}");
  }

  /** Asks so often that the buffers of the connection cannot take all results. */
  private static Socket askAndReadNothing() throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress(door.address().getHost(), door.address().getPort()));
    String request =
        """
        POST %s?wait=20s HTTP/1.1\r
        Host: a\r
        X-Caller: web\r
        Content-Type: application/json\r
        Content-Length: 2\r
        \r
        {}\
        """
            .formatted(LIST);
    socket.getOutputStream().write(request.repeat(100).getBytes(StandardCharsets.US_ASCII));
    return socket;
  }
}
