/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Receives all results in pages, as a program that dies and restarts after each. For one thread
 * that reads; the rest is for any.
 */
final class ResultReader {

  private static final JsonMapper JSON = JsonMapper.shared();

  private final List<JsonNode> results = new ArrayList<>();
  private String position = "start";

  /** The results in the order in which they came. */
  synchronized List<JsonNode> results() {
    return List.copyOf(results);
  }

  /** A program stores the position together with what it does with the results. */
  private synchronized void store(JsonNode page) {
    page.path("results").forEach(results::add);
    position = page.path("next").asString();
  }

  private synchronized String position() {
    return position;
  }

  /** Reads until the service is down, or the thread is interrupted. */
  void read(String address, String token) {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        page(address, token);
      }
    } catch (IOException e) {
      // the service is down
    }
  }

  private void page(String address, String token) throws IOException {
    String query = "?limit=700&wait=5s&from=" + position();
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create("http://" + address + "/api/v1/results" + query).toURL().openConnection();
    connection.setReadTimeout(30_000);
    connection.setRequestProperty("Authorization", "Bearer " + token);
    try (InputStream in = connection.getInputStream()) {
      store(JSON.readTree(in));
    }
  }
}
