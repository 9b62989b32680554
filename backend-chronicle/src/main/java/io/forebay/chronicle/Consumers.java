/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.PrivateFiles;
import io.forebay.text.Formats;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registered consumers of one queue and the position each has passed, stored in a file.
 * Thread-safe.
 *
 * <p>The file is written when a consumer registers, at close, and on {@link #save}. After a crash
 * it may therefore hold an older position; then fewer files are deleted, never more.
 */
final class Consumers {

  static final String FILE = "consumers.properties";

  private static final Logger LOG = LoggerFactory.getLogger(Consumers.class);
  private static final String SEEN = "seen.";
  private static final String PASSED = "passed.";

  /** How long a process may take to start. */
  private static final Duration START = Duration.ofMinutes(10);

  private final Path file;
  private final int partitions;
  private final Instant opened;
  private final ConcurrentMap<String, Registered> registered = new ConcurrentHashMap<>();
  private volatile boolean changed;

  private static final class Registered {
    final AtomicLongArray passed;
    volatile Instant seen;
    volatile boolean subscribed;

    Registered(AtomicLongArray passed, Instant seen) {
      this.passed = passed;
      this.seen = seen;
    }
  }

  /**
   * @param opened when the queue was opened
   */
  Consumers(Path directory, int partitions, Instant opened) throws IOException {
    this.opened = opened;
    this.file = directory.resolve(FILE);
    this.partitions = partitions;
    if (Files.exists(file)) {
      load(Files.readString(file));
    }
  }

  private void load(String text) throws IOException {
    Properties stored = new Properties();
    stored.load(new StringReader(text));
    for (String key : stored.stringPropertyNames()) {
      if (key.startsWith(SEEN)) {
        String consumer = key.substring(SEEN.length());
        AtomicLongArray passed = new AtomicLongArray(partitions);
        for (int i = 0; i < partitions; i++) {
          passed.set(i, Long.parseLong(stored.getProperty(PASSED + i + "." + consumer, "0")));
        }
        registered.put(consumer, new Registered(passed, Instant.parse(stored.getProperty(key))));
      }
    }
  }

  /**
   * @param first the first message kept of a partition: where a new consumer begins
   * @throws IllegalStateException if this process has already subscribed the consumer
   */
  synchronized void subscribe(String consumer, IntToLongFunction first, Instant now)
      throws IOException {
    Registered known = registered.get(consumer);
    if (known != null && known.subscribed) {
      throw new IllegalStateException(
          "consumer %s has already subscribed in this process; close that subscription first"
              .formatted(consumer));
    }
    Registered one = known == null ? begin(first, now) : known;
    one.seen = now;
    one.subscribed = true;
    registered.put(consumer, one);
    changed = true;
    if (known == null) {
      save(now);
    }
  }

  private Registered begin(IntToLongFunction first, Instant now) {
    AtomicLongArray passed = new AtomicLongArray(partitions);
    for (int i = 0; i < partitions; i++) {
      passed.set(i, first.applyAsLong(i));
    }
    return new Registered(passed, now);
  }

  synchronized void unsubscribe(String consumer, Instant now) {
    Registered one = registered.get(consumer);
    if (one != null) {
      one.subscribed = false;
      one.seen = now;
      changed = true;
    }
  }

  /**
   * Moves consumers back to the end of a partition that lost messages. Otherwise new messages at
   * the lost positions would be deleted before they are performed.
   */
  void endsAt(int partition, long end) {
    registered
        .values()
        .forEach(one -> {
          if (one.passed.get(partition) > end) {
            one.passed.set(partition, end);
            changed = true;
          }
        });
  }

  void passed(String consumer, int partition, long position) {
    Registered one = registered.get(consumer);
    if (one != null && one.passed.get(partition) < position) {
      one.passed.set(partition, position);
      changed = true;
    }
  }

  Map<String, Long> passed(int partition) {
    Map<String, Long> all = new TreeMap<>();
    registered.forEach((consumer, one) -> all.put(consumer, one.passed.get(partition)));
    return all;
  }

  /** The position that all consumers have passed; empty if none is registered. */
  OptionalLong passedByAll(int partition) {
    return registered.values().stream().mapToLong(one -> one.passed.get(partition)).min();
  }

  /**
   * Drops consumers that are not subscribed and were not seen for the given time. After the opening
   * it waits: the process may have been away for that long, and its consumers subscribe while it
   * starts.
   */
  synchronized void dropUnseen(Duration kept, Instant now) {
    if (opened.plus(START).isAfter(now)) {
      return;
    }
    Iterator<Map.Entry<String, Registered>> all = registered.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Registered> one = all.next();
      if (!one.getValue().subscribed && one.getValue().seen.plus(kept).isBefore(now)) {
        all.remove();
        changed = true;
        LOG.warn(
            "consumer {} was not seen since {} (limit={}) and no longer delays the deletion of files; if it returns, it begins at the first message kept",
            one.getKey(),
            one.getValue().seen,
            Formats.duration(kept));
      }
    }
  }

  synchronized void save(Instant now) throws IOException {
    if (!changed) {
      return;
    }
    changed = false;
    Properties stored = new Properties();
    registered.forEach((consumer, one) -> {
      stored.setProperty(SEEN + consumer, (one.subscribed ? now : one.seen).toString());
      for (int i = 0; i < partitions; i++) {
        stored.setProperty(PASSED + i + "." + consumer, Long.toString(one.passed.get(i)));
      }
    });
    StringWriter text = new StringWriter();
    stored.store(text, null);
    try {
      PrivateFiles.replace(file, text.toString());
    } catch (Throwable e) {
      changed = true;
      throw e;
    }
  }
}
