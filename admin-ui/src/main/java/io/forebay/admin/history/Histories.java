/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.capacity.Figure;
import io.forebay.capacity.HistoryFile;
import io.forebay.capacity.HistoryFile.Saved;
import io.forebay.capacity.HistoryJournal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores histories on disk. A separate thread appends what is new in all of them to a journal every
 * ten seconds, which costs one force and about 2 KB for each service, and saves each history every
 * quarter of an hour, one after the other. All are saved at the stop, which deletes the journal,
 * and when the journal is large, because no run lasted a quarter of an hour or because one history
 * cannot be saved. A kill loses up to ten seconds. If the disk fails or hangs, it loses what was
 * not written since then.
 */
public final class Histories {

  private static final Logger log = LoggerFactory.getLogger(Histories.class);
  private static final Duration TURN = Duration.ofSeconds(1);
  private static final Duration FLUSH = Duration.ofSeconds(10);
  private static final Duration ROUND = Duration.ofMinutes(15);

  /** When the journal is large. A round writes less than the second of them for each history. */
  private static final long LARGE = 16 << 20;

  private static final long LARGE_EACH = 256 << 10;

  private final HistoryDirectory directory;
  private final List<Sampled> all;
  private final HistoryJournal journal;
  private final InstantSource clock;
  private final BackgroundTask saving;
  private Instant flushed = Instant.MIN;
  private Instant saved = Instant.MIN;
  private int next;
  private boolean complete = true;

  /**
   * @param all the histories
   */
  public Histories(HistoryDirectory directory, List<Sampled> all, InstantSource clock) {
    this(directory, all, clock, TURN, Math.max(LARGE, all.size() * LARGE_EACH));
  }

  Histories(
      HistoryDirectory directory,
      List<Sampled> all,
      InstantSource clock,
      Duration turn,
      long large) {
    this.directory = directory;
    this.all = all;
    this.clock = clock;
    journal = new HistoryJournal(directory.path(), large);
    saving =
        new BackgroundTask(
            "forebay-histories",
            turn,
            new Outage(log, "Saving histories", "it is retried within ten seconds"),
            this::turn);
  }

  /** Restores the saved histories; one that cannot be used starts over, which is logged. */
  public void start() {
    Map<String, Restored> restored = new HashMap<>();
    for (Sampled sampled : all) {
      long frame = restore(sampled);
      journal.continueAfter(frame);
      restored.put(sampled.history(), new Restored(sampled, frame));
    }
    try {
      journal.read((frame, history, changes) -> {
        Restored one = restored.get(history);
        if (one != null && frame > one.frame()) {
          apply(one.sampled(), changes);
        }
      });
    } catch (IOException | RuntimeException e) {
      log.warn("What was recorded last is missing in the charts: its file cannot be read", e);
      clearJournal();
    }
    flushed = clock.instant();
    saved = flushed;
    saving.start(TURN);
  }

  private record Restored(Sampled sampled, long frame) {}

  private long restore(Sampled sampled) {
    try {
      switch (file(sampled).load()) {
        case Figure.Unknown<Saved>(String reason) -> {
          if (directory.has(fileName(sampled))) {
            log.warn("{}", reason);
          }
        }
        case Figure<Saved> figure -> {
          Saved known = figure.known().orElseThrow();
          sampled.restore(known.history());
          return known.frame();
        }
      }
    } catch (IOException | RuntimeException e) {
      log.warn("the history of {} cannot be used ({}); it starts over", sampled.history(), "" + e);
    }
    return 0;
  }

  private static void apply(Sampled sampled, byte[] changes) {
    try {
      sampled.apply(changes);
    } catch (IOException | RuntimeException e) {
      log.warn("up to ten seconds of {} cannot be used ({})", sampled.history(), "" + e);
    }
  }

  private void turn() throws IOException {
    Instant now = clock.instant();
    directory.create();
    if (isDue(flushed, FLUSH, now)) {
      flushed = now;
      flush();
    }
    if (!all.isEmpty() && isDue(saved, ROUND.dividedBy(all.size()), now)) {
      saved = now;
      saveNext();
    }
    if (journal.isLarge()) {
      beginJournal();
    }
  }

  /** Also if the clock was set back. */
  private static boolean isDue(Instant last, Duration every, Instant now) {
    return now.isBefore(last) || !now.isBefore(last.plus(every));
  }

  private void flush() throws IOException {
    Map<String, byte[]> changes = new LinkedHashMap<>();
    all.forEach(it -> changes.put(it.history(), it.changes()));
    journal.append(changes);
  }

  /**
   * Saves the next history. After a round in which all were saved, what the journal had before the
   * round is not needed.
   */
  private void saveNext() throws IOException {
    if (next == 0) {
      complete = true;
    }
    try {
      save(all.get(next));
    } catch (IOException | RuntimeException e) {
      complete = false;
      throw e;
    } finally {
      next = (next + 1) % all.size();
    }
    if (next == 0 && complete) {
      journal.rotate();
    }
  }

  /**
   * What the history has recorded since the last flush goes to the journal first: if it cannot be
   * saved, a kill loses nothing of it.
   */
  private void save(Sampled sampled) throws IOException {
    byte[] changes = sampled.changes();
    byte[] whole = sampled.toBytes();
    try {
      journal.append(Map.of(sampled.history(), changes));
    } finally {
      file(sampled).save(new Saved(journal.last(), whole));
    }
  }

  /** Returns whether all were saved; logs those that were not. */
  private boolean saveAll() {
    boolean every = true;
    for (Sampled sampled : all) {
      try {
        directory.create();
        save(sampled);
      } catch (IOException | RuntimeException e) {
        every = false;
        log.warn("The history of {} could not be saved", sampled.history(), e);
      }
    }
    return every;
  }

  /** Saves all histories, and begins a new journal even if that failed. */
  private void beginJournal() throws IOException {
    if (saveAll()) {
      journal.clear();
    } else {
      log.warn(
          "Journal of histories too large: a new one is begun; after a kill, charts that could not be saved have a gap");
      journal.rotate();
    }
    next = 0;
  }

  private void clearJournal() {
    try {
      journal.clear();
    } catch (IOException e) {
      log.warn("The journal of histories could not be deleted", e);
    }
  }

  /** Saves all histories for the last time. */
  public void stop() {
    saving.close();
    try {
      flush();
    } catch (IOException | RuntimeException e) {
      log.warn("The journal of histories could not be written", e);
    }
    if (saveAll()) {
      clearJournal();
      return;
    }
    try {
      journal.close();
    } catch (IOException e) {
      log.warn("The journal of histories could not be closed", e);
    }
  }

  private HistoryFile file(Sampled sampled) {
    return new HistoryFile(path(sampled));
  }

  private Path path(Sampled sampled) {
    return directory.path().resolve(fileName(sampled));
  }

  /**
   * The file of a history: letters, digits, minus and dot are kept in its name, other characters
   * are replaced by their code.
   */
  private static String fileName(Sampled sampled) {
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
    return name + ".history";
  }
}
