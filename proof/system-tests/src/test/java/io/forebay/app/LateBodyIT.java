/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process is paused, like a virtual machine during migration, while a body is being received.
 */
@Tag("proof")
class LateBodyIT {

  private static final String BODY = "{\"text\":\"late\"}";
  private static final int HALF = 5;

  /** Longer than the read time-out of the process. */
  private static final Duration STANDSTILL = Duration.ofMillis(1_500);

  @TempDir Path directory;

  @Test
  void aRequestThatTheServiceCouldNotReadInTimeMayBeRetried() throws Exception {
    try (ForebayProcess forebay =
        ForebayProcess.start(
            directory.resolve("data"), "--server.tomcat.connection-timeout=500ms")) {
      String[] address = forebay.address().split(":");
      String token = forebay.token();
      for (int i = 0; i < 3; i++) {
        String key = "late-" + i;
        String first = sendWhileItStandsStill(forebay, address, token, key);
        assertThat(first).as("accepted, or to be sent again").matches("HTTP/1.1 (202|408).*");
        assertThat(send(address, token, key)).startsWith("HTTP/1.1 202");
      }
    }
  }

  private static String sendWhileItStandsStill(
      ForebayProcess forebay, String[] address, String token, String key) throws Exception {
    try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
      socket.setSoTimeout(60_000);
      BufferedReader in = reader(socket);
      OutputStream out = socket.getOutputStream();
      out.write(bytes(head(token, key, "Expect: 100-continue\r\n")));
      assertThat(in.readLine()).as("it begins to read").startsWith("HTTP/1.1 100");
      assertThat(in.readLine()).isEmpty();
      out.write(bytes(BODY.substring(0, HALF)));
      forebay.process().suspend();
      try {
        out.write(bytes(BODY.substring(HALF)));
        long begin = System.nanoTime();
        await().until(() -> System.nanoTime() - begin > STANDSTILL.toNanos());
      } finally {
        forebay.process().resume();
      }
      return in.readLine();
    }
  }

  private static String send(String[] address, String token, String key) throws IOException {
    try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(bytes(head(token, key, "") + BODY));
      return reader(socket).readLine();
    }
  }

  private static String head(String token, String key, String more) {
    return """
    POST /api/v1/statements/notes.add HTTP/1.1\r
    Host: a\r
    Authorization: Bearer %s\r
    Idempotency-Key: %s\r
    Content-Type: application/json\r
    Content-Length: %d\r
    %s\r
    """
        .formatted(token, key, BODY.length(), more);
  }

  private static BufferedReader reader(Socket socket) throws IOException {
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
