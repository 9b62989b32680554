/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
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
  private final BackgroundTask saving;
  private int next;

  /**
   * @param directory created if missing, accessible only to the user of the process
   */
  Histories(Path directory, List<Sampled> all) {
    this.directory = directory;
    this.all = all;
    saving =
        new BackgroundTask(
            "forebay-histories",
            pause(),
            new Outage(log, "Saving histories", "it is retried in five minutes"),
            this::saveNext);
  }

  private Duration pause() {
    return EVERY.dividedBy(Math.max(1, all.size()));
  }

  /** Restores the saved histories; one that cannot be used starts over, which is logged. */
  void start() {
    all.forEach(this::restore);
    saving.start(pause());
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

  private void saveNext() throws IOException {
    if (!all.isEmpty()) {
      save(all.get(next++ % all.size()));
    }
  }

  private void save(Sampled sampled) throws IOException {
    prepare();
    file(sampled).save(sampled.toBytes());
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
    all.forEach(_ -> saving.run());
    saving.close();
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
