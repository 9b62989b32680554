/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.SmallFile;
import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.UUID;

/** The settings fixed when a queue is created, in a file beside its partitions. */
record QueueProperties(String identity, int partitions) {

  static final String FILE = "queue.properties";

  private static final String FORMAT = "1";

  /**
   * @throws IllegalStateException if it exists with another number of partitions
   */
  static QueueProperties openOrCreate(String name, Path directory, int partitions)
      throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      QueueProperties created = new QueueProperties(UUID.randomUUID().toString(), partitions);
      SmallFile.replace(file, created.text());
      return created;
    }
    QueueProperties found = read(name, file);
    if (found.partitions != partitions) {
      throw new IllegalStateException(
          "queue %s has %d partitions and was opened with %d; the number is fixed when a queue is created"
              .formatted(name, found.partitions, partitions));
    }
    return found;
  }

  /**
   * @throws QueueFailed if its content cannot be used
   */
  static QueueProperties read(String name, Path file) throws IOException {
    Properties stored = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      stored.load(reader);
    }
    String format = stored.getProperty("format", "");
    String identity = stored.getProperty("identity", "");
    String partitions = stored.getProperty("partitions", "");
    if (!format.equals(FORMAT) || identity.isEmpty() || !partitions.matches("[1-9][0-9]{0,5}")) {
      throw new QueueFailed(
          "queue %s cannot be opened: its %s says format %s, identity %s, partitions %s (known format=%s); restore that file"
              .formatted(name, FILE, format, identity, partitions, FORMAT),
          null);
    }
    return new QueueProperties(identity, Integer.parseInt(partitions));
  }

  private String text() throws IOException {
    Properties stored = new Properties();
    stored.setProperty("format", FORMAT);
    stored.setProperty("identity", identity);
    stored.setProperty("partitions", Integer.toString(partitions));
    StringWriter text = new StringWriter();
    stored.store(text, null);
    return text.toString();
  }
}
