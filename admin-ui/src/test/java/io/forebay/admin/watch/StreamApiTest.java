/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The stream of the figures, over HTTP. */
class StreamApiTest extends WatchServer {

  @Test
  void theStreamSendsAtOnceThenEverySecondAndEndsAtTheStop() throws Exception {
    snapshot();
    HttpResponse<Stream<String>> stream =
        http.send(request("stream", "VIEWER"), BodyHandlers.ofLines());
    assertThat(stream.headers().firstValue("Content-Type"))
        .hasValue("text/event-stream;charset=UTF-8");
    List<String> ids = new ArrayList<>();
    long stopped = 0;
    for (String line : (Iterable<String>) stream.body()::iterator) {
      if (line.startsWith("id: ")) {
        ids.add(line.substring(4));
      }
      if (ids.size() == 3 && stopped == 0) {
        stopped = System.nanoTime();
        Thread.ofVirtual().start(context::close);
      }
    }
    assertThat(ids.stream().map(Long::parseLong)).isSorted().doesNotHaveDuplicates();
    await().until(() -> !context.isActive());
    assertThat(Duration.ofNanos(System.nanoTime() - stopped)).isLessThan(WAIT_FOR_REQUESTS);
  }

  @Test
  void aUserHasOnlySomeStreams() throws Exception {
    snapshot();
    List<HttpResponse<InputStream>> open = new ArrayList<>();
    for (int i = 0; i < StreamController.MOST_OF_USER; i++) {
      open.add(http.send(request("stream", "VIEWER"), BodyHandlers.ofInputStream()));
      assertThat(open.getLast().statusCode()).isEqualTo(200);
    }
    HttpResponse<String> refused = send("stream", "ADMIN");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    assertThat(refused.body())
        .contains("too-many-subscribers", "limit=" + StreamController.MOST_OF_USER);
    open.getFirst().body().close();
    await()
        .untilAsserted(() -> {
          HttpResponse<InputStream> again =
              http.send(request("stream", "VIEWER"), BodyHandlers.ofInputStream());
          open.add(again);
          assertThat(again.statusCode()).as("a place is free again").isEqualTo(200);
        });
    for (HttpResponse<InputStream> each : open) {
      each.body().close();
    }
  }

  @Test
  void aClientThatDoesNotReadDoesNotBlockOthers() throws Exception {
    snapshot();
    try (Socket socket = new Socket("127.0.0.1", context.getWebServer().getPort())) {
      String line = "GET " + API + "stream HTTP/1.1\r\nHost: a\r\nRole: VIEWER\r\n\r\n";
      socket.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      assertThat(reader.readLine()).contains("200");
      long seq = snapshot().get("seq").asLong();
      await().until(() -> snapshot().get("seq").asLong() > seq + 2);
    }
  }
}
