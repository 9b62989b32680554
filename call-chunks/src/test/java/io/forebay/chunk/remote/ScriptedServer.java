/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Answers each request with the next scripted bytes. Without any it holds the request and reports
 * when the client closes the connection.
 */
final class ScriptedServer implements AutoCloseable {

  private final ServerSocket socket;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final List<Socket> connections = new CopyOnWriteArrayList<>();

  final List<String> requests = new CopyOnWriteArrayList<>();
  final CompletableFuture<Void> closedByClient = new CompletableFuture<>();

  ScriptedServer() throws IOException {
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/chunks");
  }

  int port() {
    return socket.getLocalPort();
  }

  /** Adds an answer, byte for byte; the connection is closed if the answer says so. */
  ScriptedServer then(String answer) {
    answers.add(answer);
    return this;
  }

  ScriptedServer then(int status, String contentType, String body, String... headers) {
    return then(
        "HTTP/1.1 %d Status\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s"
            .formatted(
                status,
                contentType,
                body.getBytes(UTF_8).length,
                String.join("", List.of(headers).stream().map(it -> it + "\r\n").toList()),
                body));
  }

  int connections() {
    return connections.size();
  }

  private void accept() {
    try {
      while (true) {
        Socket connection = socket.accept();
        connections.add(connection);
        Thread.ofVirtual().start(() -> serve(connection));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      InputStream in = connection.getInputStream();
      while (read(in)) {
        String answer = answers.poll();
        if (answer == null) {
          if (in.read() < 0) {
            closedByClient.complete(null);
          }
          return;
        }
        connection.getOutputStream().write(answer.getBytes(UTF_8));
        connection.getOutputStream().flush();
        if (answer.contains("Connection: close")) {
          return;
        }
      }
    } catch (IOException e) {
      closedByClient.complete(null);
    }
  }

  private boolean read(InputStream in) throws IOException {
    List<String> head = new ArrayList<>();
    int length = 0;
    String line;
    while (!(line = line(in)).isEmpty()) {
      head.add(line);
      if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(line.substring(15).strip());
      }
    }
    String body = new String(in.readNBytes(length), UTF_8);
    if (head.isEmpty()) {
      return false;
    }
    requests.add(String.join("\n", head) + "\n\n" + body);
    return true;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
    for (Socket connection : connections) {
      connection.close();
    }
  }
}
