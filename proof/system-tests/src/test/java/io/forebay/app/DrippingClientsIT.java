/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many clients without credentials send bodies of logins of which a byte arrives now and then. */
@Tag("proof")
class DrippingClientsIT {

  /** As many as would take twice the heap. */
  private static final int CLIENTS = 2_000;

  private static final int CONNECT_MILLIS = 50;
  private static final int ROUNDS = 4;

  @TempDir Path directory;

  @Test
  void theyDoNotEndTheProcess() throws Exception {
    String options = String.join(" ", ForebayProcess.QUICK_START);
    Map<String, String> small =
        Map.of("JDK_JAVA_OPTIONS", options + " -Xmx144m -XX:+ExitOnOutOfMemoryError");
    List<Socket> clients = new ArrayList<>();
    try (ForebayProcess forebay =
        ForebayProcess.start(directory.resolve("data"), small, "--forebay.backend=memory")) {
      String[] address = forebay.address().split(":");
      InetSocketAddress server = new InetSocketAddress(address[0], Integer.parseInt(address[1]));
      for (int round = 0; round < ROUNDS; round++) {
        clients.removeIf(client -> !drips(client));
        while (clients.size() < CLIENTS && begins(server, clients)) {
          // until the server accepts no more
        }
      }
      assertThat(clients).hasSizeGreaterThan(100);
      HttpRequest request =
          HttpRequest.newBuilder(
                  URI.create("http://" + forebay.address() + "/actuator/health/liveness"))
              .timeout(Duration.ofSeconds(30))
              .build();
      try (HttpClient client = HttpClient.newHttpClient()) {
        assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).body())
            .isEqualTo("{\"status\":\"UP\"}");
      }
      assertThat(forebay.output()).doesNotContain("java.lang.OutOfMemoryError");
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  private static boolean begins(InetSocketAddress server, List<Socket> clients) throws IOException {
    Socket client = new Socket();
    try {
      client.connect(server, CONNECT_MILLIS);
      client
          .getOutputStream()
          .write(
              """
              POST /admin/api/v1/login HTTP/1.1\r
              Host: a\r
              Content-Type: application/json\r
              Content-Length: 4000\r
              \r
              """
                  .getBytes(StandardCharsets.ISO_8859_1));
      clients.add(client);
      return true;
    } catch (IOException e) {
      client.close();
      return false;
    }
  }

  private static boolean drips(Socket client) {
    try {
      client.getOutputStream().write(' ');
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
