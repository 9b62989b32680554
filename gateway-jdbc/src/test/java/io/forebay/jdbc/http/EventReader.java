/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Receives server-sent events. */
final class EventReader implements AutoCloseable {

  private final Runnable disconnect;
  private final BufferedReader in;
  private String position = "";

  private EventReader(Runnable disconnect, InputStream in) {
    this.disconnect = disconnect;
    this.in = new BufferedReader(new InputStreamReader(in, UTF_8));
  }

  /** An event and the position after it. */
  record Event(String name, String id, JsonNode data) {}

  /**
   * @param last the header Last-Event-ID, or null
   */
  static EventReader open(URI uri, String caller, @Nullable String last) {
    try {
      HttpURLConnection connection = connect(uri, caller);
      if (last != null) {
        connection.setRequestProperty("Last-Event-ID", last);
      }
      assertThat(connection.getResponseCode()).isEqualTo(200);
      assertThat(connection.getContentType()).startsWith("text/event-stream");
      return new EventReader(connection::disconnect, connection.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Like {@link #open}, over a connection that takes only some kilobytes until they are read;
   * others take megabytes.
   */
  static EventReader openNarrow(URI uri, String caller) {
    try {
      Socket socket = new Socket();
      socket.setReceiveBufferSize(4 << 10);
      socket.setSoTimeout(30_000);
      socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()));
      socket
          .getOutputStream()
          .write(
              "GET %s?%s HTTP/1.0\r\nAccept: text/event-stream\r\n%s: %s\r\n\r\n"
                  .formatted(uri.getPath(), uri.getQuery(), RunningDoor.CALLER, caller)
                  .getBytes(UTF_8));
      return new EventReader(() -> close(socket), socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Like {@link #open}; null if the server refuses it with 429. */
  static @Nullable EventReader tryOpen(URI uri, String caller) {
    try {
      HttpURLConnection connection = connect(uri, caller);
      return connection.getResponseCode() == 429
          ? null
          : new EventReader(connection::disconnect, connection.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static HttpURLConnection connect(URI uri, String caller) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setReadTimeout(30_000);
    connection.setRequestProperty("Accept", "text/event-stream");
    connection.setRequestProperty(RunningDoor.CALLER, caller);
    return connection;
  }

  /** Waits until the server has said where this subscription is. */
  String awaitPosition() {
    while (position.isEmpty()) {
      block();
    }
    return position;
  }

  /** Waits for the next event, for a minute at most. */
  Event next(String name) {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (true) {
      assertThat(System.nanoTime()).as("only signs of life").isLessThan(deadline);
      Event event = block();
      if (event != null) {
        assertThat(event.name()).isEqualTo(name);
        return event;
      }
    }
  }

  boolean isAtEnd() {
    try {
      return in.read() < 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads up to the next empty line; null if that was no event. */
  private @Nullable Event block() {
    String name = "";
    String data = "";
    try {
      for (String line = in.readLine(); ; line = in.readLine()) {
        if (line == null) {
          throw new IOException("the server ended the events");
        }
        if (line.isEmpty()) {
          return data.isEmpty() ? null : new Event(name, position, RunningDoor.JSON.readTree(data));
        }
        if (line.startsWith("id: ")) {
          position = line.substring(4);
        } else if (line.startsWith("event: ")) {
          name = line.substring(7);
        } else if (line.startsWith("data: ")) {
          data = line.substring(6);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    disconnect.run();
  }
}
