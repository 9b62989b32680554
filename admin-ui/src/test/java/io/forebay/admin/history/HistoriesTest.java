/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kill is a copy of the files, which the killed instance no longer changes. */
class HistoriesTest {

  private static final Instant START = Instant.parse("2026-11-27T03:12:00Z");

  private static final Duration TURN = Duration.ofMillis(2);

  @TempDir Path temporary;
  private volatile Instant now = START;
  private int large = 1 << 20;
  private int kills;
  private Life life;

  /** One run of an instance. */
  private final class Life {

    final Recorded orders = new Recorded("service-orders");
    final Recorded host = new Recorded("host");
    final Path files;
    final Runs runs;
    final Histories histories;
    final AtomicInteger turns = new AtomicInteger();

    Life(Path files, String boot) {
      this.files = files;
      HistoryDirectory directory = new HistoryDirectory(files);
      runs = new Runs(directory, files.getFileName() + "@host", () -> now, boot, TURN);
      histories = new Histories(directory, List.of(orders, host), this::turn, TURN, large);
      runs.start();
      histories.start();
    }

    private Instant turn() {
      turns.incrementAndGet();
      return now;
    }

    Life killed(String boot) throws IOException {
      Path copy = Files.createDirectory(temporary.resolve("copy" + kills++));
      try (DirectoryStream<Path> all = Files.newDirectoryStream(files)) {
        for (Path file : all) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
      }
      stop();
      return new Life(copy, boot);
    }

    void stop() {
      histories.stop();
      runs.stop();
    }
  }

  /** Records bytes. */
  private static final class Recorded implements Sampled {

    private final String name;
    private final ByteArrayOutputStream all = new ByteArrayOutputStream();
    private int taken;

    Recorded(String name) {
      this.name = name;
    }

    synchronized void add(int value) {
      all.write(value);
    }

    @Override
    public String history() {
      return name;
    }

    @Override
    public void sample(Instant at) {}

    @Override
    public synchronized byte[] toBytes() {
      taken = all.size();
      return all.toByteArray();
    }

    @Override
    public synchronized byte[] changes() {
      byte[] bytes = all.toByteArray();
      byte[] changes = Arrays.copyOfRange(bytes, taken, bytes.length);
      taken = bytes.length;
      return changes;
    }

    @Override
    public synchronized void restore(byte[] history) {
      all.writeBytes(history);
      taken = all.size();
    }

    @Override
    public void apply(byte[] changes) {
      restore(changes);
    }

    synchronized boolean isFlushed() {
      return taken == all.size();
    }
  }

  @AfterEach
  void stop() {
    life.stop();
  }

  private void flushed(int value) {
    life.orders.add(value);
    life.host.add(value);
    turned(10);
    assertThat(life.orders.isFlushed() && life.host.isFlushed()).isTrue();
  }

  /** Some seconds later, a whole turn has ended. */
  private void turned(int seconds) {
    now = now.plusSeconds(seconds);
    int begun = life.turns.get();
    await().pollInterval(TURN).until(() -> life.turns.get() >= begun + 2);
  }

  @Test
  void aKillLosesAtMostTenSecondsHoweverOftenTheHistoriesWereSaved() throws IOException {
    life = new Life(temporary.resolve("history"), "boot");
    for (int value = 1; value <= 4; value++) {
      flushed(value);
      if (value % 2 == 0) {
        life.orders.add(10 * value);
        turned(8 * 60); // one of the two is saved
      }
    }
    await().until(() -> Files.exists(life.files.resolve("journal.old")));
    life.orders.add(99);
    life = life.killed("boot");
    assertThat(life.orders.toBytes()).containsExactly(1, 2, 20, 3, 4, 40);
    assertThat(life.host.toBytes()).containsExactly(1, 2, 3, 4);
    flushed(5);
    life = life.killed("boot");
    assertThat(life.orders.toBytes()).containsExactly(1, 2, 20, 3, 4, 40, 5);
    assertThat(life.host.toBytes()).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void aSaveThatFailsLosesNothing() throws IOException {
    life = new Life(temporary.resolve("history"), "boot");
    Path inTheWay = Files.createDirectory(life.files.resolve("service-orders.history.new"));
    Files.createFile(inTheWay.resolve("file"));
    turned(7 * 60 + 29);
    life.orders.add(1);
    turned(2); // it is due to be saved, but not to be flushed
    life = life.killed("boot");
    assertThat(life.orders.toBytes()).containsExactly(1);
  }

  @Test
  void aCompleteStopLeavesNoJournal() throws IOException {
    life = new Life(temporary.resolve("history"), "boot");
    flushed(1);
    Path journal = life.files.resolve("journal");
    Files.copy(journal, life.files.resolve("journal.old"));
    life.stop();
    assertThat(journal).doesNotExist();
    assertThat(life.files.resolve("journal.old")).doesNotExist();
    life = new Life(life.files, "boot");
    flushed(2);
    Path inTheWay = Files.createDirectory(life.files.resolve("service-orders.history.new"));
    Files.createFile(inTheWay.resolve("file"));
    life.stop();
    assertThat(journal).as("needed, because one is not saved").exists();
    life = new Life(life.files, "boot");
    assertThat(life.orders.toBytes()).containsExactly(1, 2);
    assertThat(life.host.toBytes()).containsExactly(1, 2);
  }

  @Test
  void aJournalThatShortRunsMadeLargeIsReplacedBySavedHistories() throws IOException {
    life = new Life(temporary.resolve("history"), "boot");
    for (int value = 1; value <= 3; value++) {
      flushed(value);
    }
    large = 80; // less than two frames
    assertThat(size("journal")).isGreaterThan(large);
    life = life.killed("boot");
    turned(0);
    assertThat(size("journal")).isZero();
    flushed(4);
    life = life.killed("boot");
    assertThat(life.orders.toBytes()).containsExactly(1, 2, 3, 4);
    assertThat(life.host.toBytes()).containsExactly(1, 2, 3, 4);
  }

  @Test
  void aHistoryThatCannotBeSavedDoesNotLetTheJournalGrow() throws IOException {
    large = 80; // less than two frames
    life = new Life(temporary.resolve("history"), "boot");
    Path inTheWay = Files.createDirectory(life.files.resolve("service-orders.history.new"));
    Files.createFile(inTheWay.resolve("file"));
    for (int value = 1; value <= 6; value++) {
      flushed(value);
      turned(0);
      assertThat(size("journal")).isLessThanOrEqualTo(large + 50);
    }
    assertThat(size("journal.old")).isBetween(1L, large + 50L);
    life = life.killed("boot");
    assertThat(life.host.toBytes()).containsExactly(1, 2, 3, 4, 5, 6);
    assertThat(life.orders.toBytes()).endsWith(5, 6);
  }

  private long size(String file) throws IOException {
    Path path = life.files.resolve(file);
    return Files.exists(path) ? Files.size(path) : 0;
  }

  @Test
  void theTimeOfAKillDuringTheShutdownIsKnown() throws IOException {
    life = new Life(temporary.resolve("history"), "boot");
    life.histories.stop();
    now = now.plusSeconds(30);
    Instant shuttingDown = now;
    await().atMost(Duration.ofSeconds(3)).until(() -> seen(shuttingDown));
    life = life.killed("boot");
    assertThat(life.runs.restarts().getLast().stoppedAt()).isEqualTo(shuttingDown);
  }

  @Test
  void aStartKnowsHowTheRunsBeforeEnded() throws IOException {
    life = new Life(temporary.resolve("history"), "boot");
    assertThat(life.runs.restarts()).isEmpty();
    life.stop();
    now = now.plusSeconds(60);
    life = new Life(life.files, "boot");
    Restart clean = new Restart(START, now, true, false);
    assertThat(life.runs.restarts()).containsExactly(clean);
    Instant alive = now.plusSeconds(7);
    now = alive;
    await().until(() -> seen(alive));
    life = life.killed("other");
    Restart killed = new Restart(alive, now, false, true);
    assertThat(life.runs.restarts()).containsExactly(clean, killed);
    assertThat(life.runs.restarts(now, now)).containsExactly(killed);
    assertThat(life.runs.predecessors()).containsExactly("history@host");
    now = now.plusSeconds(1);
    life = life.killed("");
    assertThat(life.runs.restarts()).hasSize(3);
    assertThat(life.runs.restarts().getLast().hostRestarted()).isNull();
    assertThat(life.runs.predecessors()).containsExactlyInAnyOrder("history@host", "copy0@host");
    now = now.plusSeconds(3600);
    await().until(() -> seen(now));
    life = life.killed("");
    assertThat(life.runs.predecessors()).containsExactly("copy1@host");
  }

  private boolean seen(Instant second) throws IOException {
    Path file = life.files.resolve("alive");
    byte[] bytes = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    return bytes.length == Long.BYTES
        && ByteBuffer.wrap(bytes).getLong() == second.getEpochSecond();
  }
}
