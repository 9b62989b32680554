/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.admin.history.HistoryDirectory;
import io.forebay.capacity.Figure;
import io.forebay.capacity.HistoryFile;
import io.forebay.capacity.HistoryFile.Saved;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The file {@code alerts} of the history directory: one line of JSON for each alert. */
final class AlertFile {

  private static final Logger log = LoggerFactory.getLogger(AlertFile.class);
  private static final String NAME = "alerts";

  private final HistoryDirectory directory;
  private final JsonMapper json = JsonMapper.builder().build();

  AlertFile(HistoryDirectory directory) {
    this.directory = directory;
  }

  private HistoryFile file() {
    return new HistoryFile(directory.path().resolve(NAME));
  }

  /**
   * The alerts, as they were saved; none if there is no file, or if it is damaged.
   *
   * @throws IOException if the file cannot be read
   */
  List<AlertRecord> load() throws IOException {
    List<AlertRecord> alerts = new ArrayList<>();
    switch (file().load()) {
      case Figure.Unknown<Saved>(String reason) -> {
        if (directory.has(NAME)) {
          log.warn("History of alerts starts over: {}", reason);
        }
      }
      case Figure<Saved> saved ->
          new String(saved.known().orElseThrow().history(), StandardCharsets.UTF_8)
              .lines()
              .forEach(line -> add(line, alerts));
    }
    return alerts;
  }

  private void add(String line, List<AlertRecord> alerts) {
    try {
      alerts.add(json.readValue(line, AlertRecord.class));
    } catch (JacksonException e) {
      log.warn("An alert of the history cannot be read; it is left out", e);
    }
  }

  /**
   * Replaces the file; after a kill it has the old or the new alerts.
   *
   * @throws IOException if that fails
   */
  void save(List<AlertRecord> alerts) throws IOException {
    StringBuilder text = new StringBuilder();
    alerts.forEach(it -> text.append(json.writeValueAsString(it)).append('\n'));
    directory.create();
    file().save(new Saved(0, text.toString().getBytes(StandardCharsets.UTF_8)));
  }
}
