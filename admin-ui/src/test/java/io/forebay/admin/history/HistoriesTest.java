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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kill is a copy of the files, which the killed instance no longer changes. */
class HistoriesTest {

  private static final Instant START = Instant.parse("2026-11-27T03:12:00Z");

  private static final Duration TURN = Duration.ofMillis(20);

  @TempDir Path temporary;
  private volatile Instant now = START;
  private int kills;
  private Life life;

  /** One run of an instance. */
  private final class Life {

    final Recorded orders = new Recorded("service-orders");
    final Recorded host = new Recorded("host");
    final Path files;
    final Runs runs;
    private final Histories histories;

    Life(Path files, String boot) {
      this.files = files;
      HistoryDirectory directory = new HistoryDirectory(files);
      runs = new Runs(directory, () -> now, boot);
      histories = new Histories(directory, List.of(orders, host), runs, () -> now, TURN);
      runs.start();
      histories.start();
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
    now = now.plusSeconds(10);
    await().until(() -> life.orders.isFlushed() && life.host.isFlushed());
  }

  @Test
  void aKillLosesAtMostTenSecondsHoweverOftenTheHistoriesWereSaved() throws IOException {
    life = new Life(temporary.resolve("history"), "boot");
    for (int value = 1; value <= 4; value++) {
      flushed(value);
      if (value % 2 == 0) {
        life.orders.add(10 * value);
        now = now.plus(Duration.ofMinutes(8)); // one of the two is saved
        await().until(life.orders::isFlushed);
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
    now = now.plusSeconds(1);
    life = life.killed("");
    assertThat(life.runs.restarts()).hasSize(3);
    assertThat(life.runs.restarts().getLast().hostRestarted()).isNull();
  }

  private boolean seen(Instant second) throws IOException {
    Path file = life.files.resolve("alive");
    byte[] bytes = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    return bytes.length == Long.BYTES
        && ByteBuffer.wrap(bytes).getLong() == second.getEpochSecond();
  }
}
