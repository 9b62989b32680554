/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends a stream of numbers, and resumes it behind the last acknowledged one. For one thread that
 * sends; {@link #acknowledged} is for any.
 */
final class LineSender {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int LINES_PER_CHUNK = 50;

  private final String stream;
  private volatile long acknowledged;
  private boolean complete;

  LineSender(String stream) {
    this.stream = stream;
  }

  /** All lines up to this one are acknowledged. */
  long acknowledged() {
    return acknowledged;
  }

  /**
   * Sends until the connection breaks, or up to a line.
   *
   * @return whether the service has confirmed the end of the stream
   */
  boolean send(String address, String token, long last) {
    complete = false;
    String[] host = address.split(":");
    try (Socket socket = new Socket(host[0], Integer.parseInt(host[1]))) {
      Thread reader = Thread.startVirtualThread(() -> read(socket));
      write(socket.getOutputStream(), address, token, last);
      reader.join();
    } catch (IOException e) {
      return false; // the service is down
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return complete;
  }

  private void write(OutputStream out, String address, String token, long last) throws IOException {
    long next = acknowledged + 1;
    out.write(
        """
        POST /api/v1/statements/lines.add?stream=%s&from=%d&group=100 HTTP/1.1\r
        Host: %s\r
        Authorization: Bearer %s\r
        Content-Type: application/x-ndjson\r
        Transfer-Encoding: chunked\r
        Connection: close\r
        \r
        """
            .formatted(stream, next, address, token)
            .getBytes(UTF_8));
    while (next <= last) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < LINES_PER_CHUNK && next <= last; i++) {
        lines.append("{\"stream\":\"%s\",\"number\":%d}\n".formatted(stream, next++));
      }
      out.write("%x\r\n%s\r\n".formatted(lines.length(), lines).getBytes(UTF_8));
    }
    out.write("0\r\n\r\n".getBytes(UTF_8));
  }

  private void read(Socket socket) {
    try {
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      String line;
      while ((line = in.readLine()) != null) {
        if (line.startsWith("{")) {
          JsonNode answer = JSON.readTree(line);
          acknowledged = answer.path("to").asLong(acknowledged);
          complete |= answer.path("complete").asBoolean(false);
        }
      }
    } catch (IOException e) {
      // the service is down
    }
  }
}
