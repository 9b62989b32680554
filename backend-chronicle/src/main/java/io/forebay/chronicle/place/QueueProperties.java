/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.place;

import io.forebay.chronicle.file.PrivateFiles;
import io.forebay.machine.Machine;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;

/**
 * The settings fixed when a queue is created, in a file beside its partitions.
 *
 * @param roll how long one file is written to
 */
public record QueueProperties(String identity, int partitions, Duration roll) {

  public static final String FILE = "queue.properties";

  private static final String FORMAT = "1";

  /**
   * @throws StartRefused if it exists with another number of partitions or roll cycle
   * @throws QueueFailed if it is missing although there are partitions: with a new identity, their
   *     messages would not be performed
   */
  public static QueueProperties openOrCreate(
      String name, Path directory, int partitions, Duration roll) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      mustHaveNoPartitions(name, directory);
      QueueProperties created = new QueueProperties(Machine.uuid().toString(), partitions, roll);
      PrivateFiles.replace(file, created.text());
      return created;
    }
    QueueProperties found = read(name, file);
    if (found.partitions != partitions) {
      throw new StartRefused(
          "Queue %s has %d partitions and is configured with %d; the number is fixed when a queue is created"
              .formatted(name, found.partitions, partitions));
    }
    if (!found.roll.equals(roll)) {
      throw new StartRefused(
          "Queue %s writes each file for %s and is configured with a roll cycle of %s; it is fixed when a queue is created"
              .formatted(name, text(found.roll), text(roll)));
    }
    return found;
  }

  private static void mustHaveNoPartitions(String name, Path directory) throws IOException {
    try (DirectoryStream<Path> partitions = Files.newDirectoryStream(directory, "[0-9]*")) {
      if (partitions.iterator().hasNext()) {
        throw new QueueFailed(
            "queue %s cannot be opened: %s has partitions but no %s; restore that file from a copy or write it again (docs/operations.md#a-queue-is-damaged), or move the directory away to begin with an empty queue"
                .formatted(name, directory, FILE),
            null);
      }
    }
  }

  private static String text(Duration time) {
    return time.toString().substring(2).toLowerCase(Locale.ROOT);
  }

  /**
   * @throws QueueFailed if its content cannot be used
   */
  public static QueueProperties read(String name, Path file) throws IOException {
    Properties stored = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      stored.load(reader);
    }
    String format = stored.getProperty("format", "");
    String identity = stored.getProperty("identity", "");
    String partitions = stored.getProperty("partitions", "");
    String roll = stored.getProperty("roll", "1h");
    if (!format.equals(FORMAT)
        || identity.isEmpty()
        || !partitions.matches("[1-9][0-9]{0,5}")
        || !roll.matches("[1-9][0-9]{0,3}[hms]")) {
      throw new QueueFailed(
          "queue %s cannot be opened: %s says format %s, identity %s, partitions %s, roll %s (known format=%s); restore that file"
              .formatted(name, file, format, identity, partitions, roll, FORMAT),
          null);
    }
    return new QueueProperties(identity, Integer.parseInt(partitions), Duration.parse("PT" + roll));
  }

  private String text() throws IOException {
    Properties stored = new Properties();
    stored.setProperty("format", FORMAT);
    stored.setProperty("identity", identity);
    stored.setProperty("partitions", Integer.toString(partitions));
    stored.setProperty("roll", text(roll));
    StringWriter text = new StringWriter();
    stored.store(text, null);
    return text.toString();
  }
}
