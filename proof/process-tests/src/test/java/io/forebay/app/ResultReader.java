/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Receives all results as events, and connects again after each {@value #EVENTS} of them, as a
 * subscriber that dies and restarts. For one thread that reads; the rest is for any.
 */
final class ResultReader {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int EVENTS = 700;

  private final List<JsonNode> results = new ArrayList<>();
  private String position = "";

  /** The results in the order in which they came. */
  synchronized List<JsonNode> results() {
    return List.copyOf(results);
  }

  /** A subscriber stores the position together with what it does with the result. */
  private synchronized void store(String id, JsonNode result) {
    position = id;
    results.add(result);
  }

  private synchronized String position() {
    return position;
  }

  /** Reads until the service is down, or the thread is interrupted. */
  void read(String address, String token) {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        connect(address, token);
      }
    } catch (IOException e) {
      // the service is down
    }
  }

  private void connect(String address, String token) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create("http://" + address + "/api/v1/results?from=start").toURL().openConnection();
    connection.setReadTimeout(30_000);
    connection.setRequestProperty("Accept", "text/event-stream");
    connection.setRequestProperty("Authorization", "Bearer " + token);
    connection.setRequestProperty("Last-Event-ID", position());
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8))) {
      String id = "";
      int events = 0;
      for (String line = in.readLine(); line != null && events < EVENTS; line = in.readLine()) {
        if (line.startsWith("id: ")) {
          id = line.substring(4);
        } else if (line.startsWith("data: ")) {
          store(id, JSON.readTree(line.substring(6)));
          events++;
        }
      }
    } finally {
      connection.disconnect();
    }
  }
}
