/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Figure;
import io.forebay.capacity.HistoryFile;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores histories on disk. A separate thread saves each every five minutes, one after the other,
 * and all are saved at the stop. A kill loses up to five minutes.
 */
final class Histories {

  private static final Logger log = LoggerFactory.getLogger(Histories.class);
  private static final Duration EVERY = Duration.ofMinutes(5);

  private final Path directory;
  private final List<Sampled> all;
  private final Thread thread =
      Thread.ofPlatform().name("forebay-histories").daemon().unstarted(this::run);
  private boolean stopped;
  private boolean failing;

  /**
   * @param directory created if missing, accessible only to the user of the process
   */
  Histories(Path directory, List<Sampled> all) {
    this.directory = directory;
    this.all = all;
  }

  /** Restores the saved histories; one that cannot be used starts over, which is logged. */
  void start() {
    all.forEach(this::restore);
    thread.start();
  }

  private void restore(Sampled sampled) {
    try {
      HistoryFile file = file(sampled);
      switch (file.load()) {
        case Figure.Unknown<byte[]>(String reason) -> {
          if (Files.exists(path(sampled))) {
            log.warn("{}", reason);
          }
        }
        case Figure<byte[]> bytes -> sampled.restore(bytes.known().orElseThrow());
      }
    } catch (IOException | RuntimeException e) {
      log.warn("the history of {} cannot be used ({}); it starts over", sampled.history(), "" + e);
    }
  }

  private void run() {
    while (true) {
      List<Sampled> due = all;
      long pause = EVERY.toMillis() / Math.max(1, due.size());
      for (Sampled one : due) {
        if (isStoppedAfter(pause)) {
          return;
        }
        save(one);
      }
      if (due.isEmpty() && isStoppedAfter(pause)) {
        return;
      }
    }
  }

  private synchronized boolean isStoppedAfter(long millis) {
    long until = System.nanoTime() + Duration.ofMillis(millis).toNanos();
    try {
      for (long left = millis; !stopped && left > 0; left = millisUntil(until)) {
        wait(left);
      }
    } catch (InterruptedException _) {
      return true;
    }
    return stopped;
  }

  private static long millisUntil(long nanoTime) {
    return Math.ceilDiv(nanoTime - System.nanoTime(), 1_000_000);
  }

  private void save(Sampled sampled) {
    try {
      prepare();
      file(sampled).save(sampled.toBytes());
      failing = false;
    } catch (IOException | RuntimeException | Error e) {
      if (!failing) {
        log.warn(
            "the history of {} could not be saved ({}); it is retried in five minutes",
            sampled.history(),
            "" + e);
      }
      failing = true;
    }
  }

  private void prepare() throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
      Files.createDirectories(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } else {
      Files.createDirectories(directory);
    }
  }

  /** Saves all histories for the last time. */
  void stop() {
    synchronized (this) {
      stopped = true;
      notifyAll();
    }
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return;
    }
    all.forEach(this::save);
  }

  private HistoryFile file(Sampled sampled) {
    return new HistoryFile(path(sampled));
  }

  /**
   * The file of a history: letters, digits, minus and dot are kept in its name, other characters
   * are replaced by their code.
   */
  private Path path(Sampled sampled) {
    StringBuilder name = new StringBuilder();
    sampled
        .history()
        .chars()
        .forEach(character -> {
          boolean plain =
              character < 128 && (Character.isLetterOrDigit(character) || character == '-')
                  || character == '.';
          if (plain) {
            name.append((char) character);
          } else {
            name.append('_').append(Integer.toHexString(character)).append('_');
          }
        });
    return directory.resolve(name + ".history");
  }
}
