/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.chronicle.ChronicleBackend;
import io.forebay.chronicle.Rig;
import io.forebay.queue.MessageQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file is read from outside although the disk cannot read one of its sectors. */
final class FrameScanTest {

  private static final int BLOCK = 4096;
  private static final long MESSAGES = 1_000;

  @TempDir Path data;
  private Path file;
  private long bad;

  @BeforeEach
  void write() throws IOException {
    try (ChronicleBackend backend = new Rig(data).open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, MESSAGES);
    }
    try (Stream<Path> all = Files.walk(data)) {
      file = all.filter(it -> it.toString().endsWith(".cq4")).findFirst().orElseThrow();
    }
    try (FrameScan scan = new FrameScan(file)) {
      while (scan.next() != FrameScan.NOTHING && scan.frame().number() != MESSAGES / 2) {}
      bad = scan.end() & -BLOCK;
    }
  }

  private FrameScan open() throws IOException {
    return new FrameScan(
        file,
        (disk, at, into, from, count) -> {
          if (at < bad + BLOCK && at + count > bad) {
            throw new IOException("Input/output error");
          }
          return Host.Read.PLAIN.read(disk, at, into, from, count);
        });
  }

  @Test
  void itsMessagesAreSkipped() throws IOException {
    List<Long> read = new ArrayList<>();
    try (FrameScan frames = open()) {
      while (frames.nextWritten() || frames.nextBehindHole()) {
        read.add(frames.frame().number());
      }
    }
    assertThat(read).hasSizeBetween(850, 990).isSorted().startsWith(0L).endsWith(MESSAGES - 1);
  }

  @Test
  void theOthersAreFound() throws IOException {
    try (FrameScan frames = open()) {
      for (long number : new long[] {0, 10, MESSAGES - 10, MESSAGES - 1}) {
        frames.seek(number);
        assertThat(frames.nextWritten()).isTrue();
        assertThat(frames.frame().number()).isEqualTo(number);
      }
      frames.seek(Long.MAX_VALUE);
      assertThat(frames.following()).isEqualTo(MESSAGES);
      frames.seek(MESSAGES / 2);
      assertThat(frames.nextWritten() || frames.nextBehindHole()).isTrue();
      assertThat(frames.frame().number()).isBetween(MESSAGES / 2, MESSAGES / 2 + 150);
    }
  }
}
