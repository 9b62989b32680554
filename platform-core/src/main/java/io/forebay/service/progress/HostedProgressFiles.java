/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import io.forebay.file.DurableFiles;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** One file of properties for each service, replaced as a whole. */
final class HostedProgressFiles implements HostedProgress {

  private static final String QUEUE = ".queue";
  private static final String POSITION = ".position";
  private static final String DRAINED = ".drained";

  private final Path directory;

  HostedProgressFiles(Path directory) {
    this.directory = directory;
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public synchronized Map<Integer, Entry> find(String service) {
    Path file = file(service);
    if (!Files.exists(file)) {
      return Map.of();
    }
    Properties stored = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      stored.load(reader);
    } catch (IOException e) {
      throw new Unavailable(file + " cannot be read", e);
    }
    Map<Integer, Entry> entries = new TreeMap<>();
    for (String key : stored.stringPropertyNames()) {
      if (key.endsWith(QUEUE)) {
        String partition = key.substring(0, key.length() - QUEUE.length());
        entries.put(
            Integer.valueOf(partition),
            new Entry(
                stored.getProperty(key),
                Long.parseLong(stored.getProperty(partition + POSITION, "0").strip()),
                Boolean.parseBoolean(stored.getProperty(partition + DRAINED).strip())));
      }
    }
    return entries;
  }

  @Override
  public synchronized void keep(String service, int partition, Entry entry) {
    Map<Integer, Entry> entries = new TreeMap<>(find(service));
    entries.put(partition, entry);
    Properties stored = new Properties();
    entries.forEach((number, one) -> {
      stored.setProperty(number + QUEUE, one.queueId());
      stored.setProperty(number + POSITION, Long.toString(one.position()));
      stored.setProperty(number + DRAINED, Boolean.toString(one.drained()));
    });
    try {
      StringWriter text = new StringWriter();
      stored.store(text, null);
      DurableFiles.createDirectories(directory);
      DurableFiles.replace(file(service), text.toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new Unavailable(file(service) + " cannot be written", e);
    }
  }

  private Path file(String service) {
    return directory.resolve(service + ".properties");
  }
}
