/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.capacity.HistoryFile.Saved;
import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HistoryFileTest {

  private static final int SIZE = 300_000;

  @TempDir Path directory;
  private Path path;
  private HistoryFile file;

  @BeforeEach
  void create() {
    path = directory.resolve("orders.history");
    file = new HistoryFile(path);
  }

  private static Saved saved(byte[] history) {
    return new Saved(7, history);
  }

  @Test
  void isReadAsItWasSavedLast() throws IOException {
    assertThat(file.load()).isEqualTo(Figure.unknown("no history was saved"));
    file.save(saved(new byte[] {1, 2, 3}));
    file.save(saved(new byte[] {4, 5}));
    assertThat(file.load().known())
        .hasValueSatisfying(it -> assertThat(it.history()).containsExactly(4, 5));
    file.save(saved(new byte[0]));
    assertThat(file.load().known()).hasValueSatisfying(it -> assertThat(it.history()).isEmpty());
  }

  @Test
  void isRejectedWhenItIsCutOffAnywhere() throws IOException {
    file.save(saved(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}));
    byte[] whole = Files.readAllBytes(path);
    for (int length = 0; length < whole.length; length++) {
      Files.write(path, Arrays.copyOf(whole, length));
      assertThat(file.load()).as("%d bytes", length).isInstanceOf(Figure.Unknown.class);
    }
  }

  @Test
  void isRejectedWhenAnyBitIsWrong() throws IOException {
    file.save(saved(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}));
    byte[] whole = Files.readAllBytes(path);
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      byte[] wrong = whole.clone();
      wrong[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(path, wrong);
      assertThat(file.load()).as("bit %d", bit).isInstanceOf(Figure.Unknown.class);
    }
  }

  @Test
  void reportsWhyItStartsOverAndCanBeSavedAgain() throws IOException {
    Files.write(path, new byte[100]);
    assertThat(file.load())
        .isEqualTo(
            Figure.unknown(
                "the history in orders.history cannot be used (not a history); it starts over"));
    file.save(saved(new byte[] {9}));
    assertThat(file.load().known()).isPresent();
  }

  @Test
  void aHistoryOfTheFormatBeforeThisOneIsRead() throws IOException {
    ByteBuffer before = ByteBuffer.allocate(22);
    before.putLong(0x466f726562617948L).putInt(2).putInt(2).put(new byte[] {5, 6});
    CRC32C crc = new CRC32C();
    crc.update(before.array(), 0, before.position());
    Files.write(path, before.putInt((int) crc.getValue()).array());
    Saved read = file.load().known().orElseThrow();
    assertThat(read.frame()).isZero();
    assertThat(read.history()).containsExactly(5, 6);
    file.save(saved(read.history()));
    assertThat(file.load().known().orElseThrow().frame()).isEqualTo(7);
  }

  @Test
  void aHalfWrittenFileOfAKilledProcessIsIgnored() throws IOException {
    file.save(saved(new byte[] {1}));
    Files.write(directory.resolve("orders.history.new"), new byte[1000]);
    assertThat(file.load().known())
        .hasValueSatisfying(it -> assertThat(it.history()).containsExactly(1));
    file.save(saved(new byte[] {2}));
    assertThat(file.load().known())
        .hasValueSatisfying(it -> assertThat(it.history()).containsExactly(2));
    assertThat(directory.resolve("orders.history.new")).doesNotExist();
  }

  @Test
  void aDirectoryThatIsMissingIsAnError() {
    HistoryFile lost = new HistoryFile(directory.resolve("no/such/orders.history"));
    assertThatThrownBy(() -> lost.save(saved(new byte[] {1}))).isInstanceOf(IOException.class);
  }

  @Test
  void isWholeWheneverTheWritingProcessIsKilled() throws Exception {
    int least = 0;
    Random random = new Random(20261120);
    for (int kill = 0; kill < 5; kill++) {
      try (ChildProcess writer = ChildProcess.start(Saving.class, path, least)) {
        assertThat(writer.await("")).isEqualTo("saving");
        writer.endsWithin(Duration.ofMillis(random.nextInt(100, 300)));
        writer.kill();
      }
      byte[] history = file.load().known().orElseThrow().history();
      int saved = history[0] & 0xff | (history[1] & 0xff) << 8;
      assertThat(history).isEqualTo(Saving.history(saved));
      assertThat(saved).isGreaterThanOrEqualTo(least);
      least = saved;
    }
    assertThat(least).as("saves over all kills").isGreaterThan(5);
  }

  /** Saves histories until it is killed. */
  static final class Saving {

    static byte[] history(int number) {
      byte[] history = new byte[SIZE];
      new Random(number).nextBytes(history);
      history[0] = (byte) number;
      history[1] = (byte) (number >> 8);
      return history;
    }

    public static void main(String[] args) throws IOException {
      HistoryFile file = new HistoryFile(Path.of(args[0]));
      int number = Integer.parseInt(args[1]);
      file.save(saved(history(number)));
      System.out.println("saving");
      while (true) {
        file.save(saved(history(++number)));
      }
    }
  }
}
