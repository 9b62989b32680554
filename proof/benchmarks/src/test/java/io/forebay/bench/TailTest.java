/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TailTest {

  @Test
  void measuresEveryContender(@TempDir Path folder) throws Exception {
    assertThat(Main.run(List.of("tail", "--short", "--rate", "2000", "--out", folder.toString())))
        .isZero();

    assertThat(folder.toFile().list()).containsExactly("tail.json");
    String json = Files.readString(folder.resolve("tail.json"));
    for (TailContender contender : TailContender.values()) {
      assertThat(json).contains("\"name\" : \"" + Benchmark.title(contender) + "-2000\"");
    }
    assertThat(json)
        .contains("\"99.99 % µs\"", "\"worst µs\"", "\"verdict\"", "\"cores\"")
        .doesNotContain(folder.toString());
  }

  /** Messages that are due while one write stalls are late, too. */
  @Test
  void countsTheWaitOfMessagesThatWereDueWhileTheWriterStalled() throws Exception {
    Queue<Long> written = new ConcurrentLinkedQueue<>();
    AtomicLong writes = new AtomicLong();
    TailContender.Way stalling =
        new TailContender.Way() {
          @Override
          public void write(long value) {
            if (writes.incrementAndGet() == 400) {
              long until = System.nanoTime() + 200_000_000;
              while (System.nanoTime() < until) {
                Thread.onSpinWait();
              }
            }
            written.add(value);
          }

          @Override
          public long read() {
            Long value = written.poll();
            return value == null ? -1 : value;
          }

          @Override
          public void close() {}
        };
    Rounds figures;
    try (TailLoad load = new TailLoad(stalling, true)) {
      figures = load.measure(1_000, 1);
    }
    assertThat(figures.median("messages")).isBetween(1_000.0, 1_002.0);
    assertThat(figures.median("worst µs")).isGreaterThan(190_000);
    assertThat(figures.median("90 % µs")).isGreaterThan(50_000);
  }
}
