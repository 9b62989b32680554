/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** A client without credentials sends a body of which a byte arrives now and then, or none. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = "forebay.backend=memory")
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
class DrippingBodyTest {

  /** The server looks once a second which requests take too long. */
  private static final Duration LONGEST = Duration.ofSeconds(5 + 2);

  private static final String FORM = "Content-Type: application/x-www-form-urlencoded\r\n";

  @TempDir static Path data;

  @LocalServerPort int port;

  @DynamicPropertySource
  static void dataDirectory(DynamicPropertyRegistry registry) {
    registry.add("forebay.data", () -> data.resolve("forebay").toString());
  }

  /**
   * @param length the header that announces the body
   * @param drip what the client sends four times a second
   */
  private record Client(String path, String length, String drip, int status) {

    /** Returns the answer of the server, which has closed the connection. */
    String answer(int port) throws IOException {
      StringBuilder answer = new StringBuilder();
      try (Socket socket = new Socket("127.0.0.1", port)) {
        socket.setSoTimeout(250);
        send(
            socket,
            "POST %s HTTP/1.1\r\nHost: a\r\n%s%s\r\n\r\n"
                .formatted(
                    path,
                    length.regionMatches(true, 0, FORM, 0, FORM.length())
                        ? ""
                        : "Content-Type: application/json\r\n",
                    length));
        while (isOpen(socket, answer)) {
          send(socket, drip);
        }
      }
      return answer.toString();
    }
  }

  @Test
  void itIsAnsweredAndItsConnectionIsClosedAfterFiveSeconds() throws Exception {
    String login = "/admin/api/v1/login";
    String statement = "/api/v1/statements/orders.add";
    String length = "Content-Length: 4000";
    String chunks = "Transfer-Encoding: chunked";
    List<Client> clients =
        List.of(
            new Client(login, length, "x", 403),
            new Client(login, FORM + length, "x", 408),
            new Client(login, FORM + length, "", 408),
            new Client(login, FORM + chunks, "1;x", 413),
            new Client(login, FORM + "Content-Length: 4000000", "x", 413),
            new Client("/nothing", FORM + length, "x", 408),
            new Client(login, FORM.toUpperCase(Locale.ROOT) + length, "x", 408),
            new Client(login, chunks, "1;x", 403),
            new Client(login, length + "\r\nAuthorization: x", "x", 403),
            new Client("/admin/api/v1/logout", length, "x", 403),
            new Client("/admin/api/v1/logout", length, "", 403),
            new Client(statement, length, "x", 401),
            new Client(statement, chunks, "1;x", 401),
            new Client(statement, length + "\r\nAuthorization: Bearer fb_x", "x", 401),
            new Client("/nothing", length, "x", 401));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Map<Client, Future<String>> answers = new LinkedHashMap<>();
      clients.forEach(it -> answers.put(it, threads.submit(() -> it.answer(port))));
      long end = System.nanoTime() + LONGEST.toNanos();
      SoftAssertions softly = new SoftAssertions();
      answers.forEach((client, answer) ->
          softly
              .assertThat(answer)
              .as("%s", client)
              .succeedsWithin(Duration.ofNanos(Math.max(1, end - System.nanoTime())))
              .asString()
              .startsWith("HTTP/1.1 " + client.status())
              .contains("\"status\":" + client.status()));
      threads.shutdownNow();
      softly.assertAll();
    }
  }

  @Test
  void aClientThatGoesAwayLeavesNothingInTheLog(CapturedOutput output) throws Exception {
    for (String body : new String[] {"", "{"}) {
      try (Socket socket = new Socket("127.0.0.1", port)) {
        send(
            socket,
            """
            POST /admin/api/v1/login HTTP/1.1\r
            Host: a\r
            Content-Type: application/json\r
            Content-Length: 4000\r
            Expect: 100-continue\r
            \r
            %s\
            """
                .formatted(body));
        assertThat(socket.getInputStream().read()).as("it begins to read").isEqualTo('H');
      }
    }
    Door door = new Door(port);
    for (int i = 0; i < 10; i++) {
      assertThat(door.send("POST", "/admin/api/v1/login", null, "{\"user\":1}").status())
          .isEqualTo(403);
    }
    assertThat(output.getAll()).doesNotContain("\tat ", "Exception");
  }

  private static void send(Socket socket, String text) throws IOException {
    try {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      // closed by the server: reading shows it
    }
  }

  private static boolean isOpen(Socket socket, StringBuilder answer) {
    try {
      InputStream in = socket.getInputStream();
      int read = in.read();
      while (read >= 0) {
        answer.append((char) read);
        read = in.read();
      }
      return false;
    } catch (SocketTimeoutException e) {
      return !Thread.currentThread().isInterrupted();
    } catch (IOException e) {
      return false; // reset
    }
  }
}
