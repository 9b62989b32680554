/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.StoredFile;
import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import io.forebay.queue.Storage;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A volume reported by others, as by brokers, which do not always report it. */
class VolumeWatchTest {

  private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration ROLL = Duration.ofHours(1);
  private static final long GB = 1L << 30;

  @TempDir Path directory;

  private Storage storage = nothingKnown();
  private VolumeWatch watch;
  private Instant now = START;

  @BeforeEach
  void watch() {
    watch = new VolumeWatch(() -> storage, directory.resolve("database"), Map::of);
  }

  /** A disk whose size may be unknown. */
  private static final class Disk extends FileStore {

    private final @Nullable FileStore same;
    private final boolean told;

    /** More than at first. */
    long used;

    Disk(boolean told) {
      this(null, told);
    }

    /** One that equals another one. */
    Disk(@Nullable FileStore same, boolean told) {
      this.same = same;
      this.told = told;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other == this || other != null && other.equals(same);
    }

    @Override
    public int hashCode() {
      return 1;
    }

    @Override
    public String name() {
      return "disk";
    }

    @Override
    public String type() {
      return "test";
    }

    @Override
    public boolean isReadOnly() {
      return false;
    }

    @Override
    public long getTotalSpace() throws IOException {
      if (!told) {
        throw new IOException("it is not mounted");
      }
      return 1_000 * GB;
    }

    @Override
    public long getUsableSpace() throws IOException {
      return getTotalSpace() / 2 - used;
    }

    @Override
    public long getUnallocatedSpace() throws IOException {
      return getUsableSpace();
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
      return false;
    }

    @Override
    public boolean supportsFileAttributeView(String name) {
      return false;
    }

    @Override
    public <V extends FileStoreAttributeView> @Nullable V getFileStoreAttributeView(Class<V> type) {
      return null;
    }

    @Override
    public Object getAttribute(String attribute) {
      throw new UnsupportedOperationException(attribute);
    }
  }

  private static Storage nothingKnown() {
    return new Storage(Path.of("unknown"), new Disk(false), 0, Duration.ZERO, List.of());
  }

  private static Storage known(long appended, long deleted) {
    return new Storage(
        Path.of("disk"),
        new Disk(true),
        0,
        Duration.ZERO,
        List.of(
            new Storage.OfQueue(
                "orders.in", Duration.ofDays(7), appended, deleted, 0, List.of(), null)));
  }

  private void sample(Storage next) {
    storage = next;
    watch.sample(now);
    now = now.plusSeconds(1);
  }

  private void disk(Disk disk, long reserve, Storage.OfQueue... queues) {
    sample(new Storage(Path.of("disk"), disk, reserve, ROLL, List.of(queues)));
  }

  private static Storage.OfQueue queue(
      String name, Duration kept, long appended, Storage.File... files) {
    long bytes = Stream.of(files).mapToLong(Storage.File::bytes).sum();
    return new Storage.OfQueue(name, kept, appended, 0, bytes, List.of(files), null);
  }

  private static Storage.File file(String name, long bytes, Instant closed, String... neededBy) {
    return new Storage.File(name, bytes, closed, Set.of(neededBy), false);
  }

  private double most(Measure measure) {
    Points points = watch.history().read(measure, START, now, Duration.ofSeconds(1));
    return points.all().stream().filter(Objects::nonNull).mapToDouble(it -> it).max().orElseThrow();
  }

  @Test
  void figuresThatAreNotReadForAWhileAreUnknownWithoutASpikeAfterwards() {
    for (int second = 0; second < 120; second++) {
      boolean away = second >= 50 && second < 70;
      sample(away ? nothingKnown() : known(500 * GB + second * 1_000L, 400 * GB));
    }
    assertThat(most(Measure.WRITTEN)).isEqualTo(1_000);
    assertThat(most(Measure.DELETED)).isZero();
    assertThat(watch.rates().perSecond("orders.in")).isEqualTo(Figure.measured(1_000.0));
  }

  /** A newer file is begun only by a message. */
  @Test
  void aFileThatNewerOnesMustReplaceIsNotDueWhileMessagesAreRefused() {
    assertThat(nextWithReserve(0)).contains(new FileRetention.Next(new Until.Passed(), 1));
    assertThat(watch.view().enough()).as("nothing has to be freed").isEmpty();
    assertThat(nextWithReserve(500 * GB)).contains(new FileRetention.Next(new Until.Passed(), 2));
    assertThat(watch.view().enough()).as("50 GiB are not there").isEmpty();
    assertThat(watch.view().toFreeBytes()).isEqualTo(Figure.measured(50 * GB));
    assertThat(nextWithReserve(500 * GB, 60 * GB)).isPresent();
    assertThat(watch.view().enough())
        .contains(new FileRetention.Next(new Until.In(ROLL), 60 * GB + 2));
  }

  private Optional<FileRetention.Next> nextWithReserve(long reserve, long... later) {
    List<Storage.File> files = new ArrayList<>();
    Instant before = now.minus(ROLL);
    files.add(new Storage.File("a", 1, before, Set.of(), true));
    files.add(new Storage.File("b", 2, before.plusSeconds(1), Set.of(), false));
    for (long bytes : later) {
      files.add(new Storage.File("c", bytes, now.plus(ROLL), Set.of(), false));
    }
    disk(
        new Disk(true),
        reserve,
        queue("orders.in", Duration.ZERO, 1, files.toArray(Storage.File[]::new)));
    return watch.view().next();
  }

  @Test
  void whatItsOwnDatabaseWritesIsNotOfOthers() throws IOException {
    Disk disk = new Disk(Files.getFileStore(directory), true);
    Path data = Files.createDirectory(directory.resolve("database")).resolve("forebay.data");
    for (int second = 0; second < 20; second++) {
      disk.used += 4 << 20;
      try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
        file.setLength((second + 1L) * (3 << 20));
      }
      disk(disk, 0, queue("orders.in", Duration.ZERO, 0));
    }
    assertThat(watch.view().othersShare().known().orElseThrow()).isCloseTo(0.25, within(0.01));
  }

  @Test
  void aBurstIsAddedToTheGrowthOfTheLastSeconds() {
    Disk disk = new Disk(true);
    for (int second = 0; second < 30; second++) {
      disk.used += second < 20 ? 0 : 5 * GB;
      disk(disk, 0, queue("orders.in", Duration.ZERO, 0));
    }
    Until full = watch.runway().known().orElseThrow().middle();
    assertThat(watch.fullWith(5L << 30).known().orElseThrow().left().orElseThrow())
        .isCloseTo(full.left().orElseThrow().dividedBy(2), Duration.ofSeconds(1));
  }

  @Test
  void aRateIsTheMeanOfTheLastHourAtMost() {
    QueueRates rates = new QueueRates();
    for (int minute = 0; minute <= 180; minute++) {
      long appended = 60L * Math.max(0, minute - 90);
      rates.add(
          START.plusSeconds(60L * minute), List.of(queue("orders.in", Duration.ZERO, appended)));
    }
    assertThat(rates.perSecond("orders.in")).isEqualTo(Figure.measured(1.0));
  }

  @Test
  void deletesFilesAtTheRightTimeAlthoughQueuesKeepThemForDifferentTimes() {
    Instant closed = START.minus(Duration.ofHours(10));
    Storage.File open = new Storage.File("open", 1_000, START, Set.of(), true); // for a roll
    Storage.OfQueue in = queue("in", Duration.ZERO, 200, file("in", 1_000, closed, "orders"), open);
    Storage.OfQueue out = queue("out", Duration.ofHours(30), 100, file("out", 100, closed));
    QueueRates rates = new QueueRates();
    rates.add(START, List.of(queue("in", Duration.ZERO, 0), queue("out", Duration.ZERO, 0)));
    rates.add(START.plusSeconds(60), List.of(in, out));
    QueueFiles files =
        new QueueFiles(new Storage(directory, new Disk(true), 0, ROLL, List.of(in, out)), rates);
    assertThat(files.retention()).isEqualTo(new FileRetention(Duration.ofHours(10), ROLL));
    assertThat(files.held(START)).isEqualTo(Map.of("orders", new FileRetention.Held(1, 1_000)));
    assertThat(files.files())
        .extracting(StoredFile::due)
        .containsExactly(closed, START.plus(ROLL), closed.plus(Duration.ofHours(30)));
  }

  @Test
  void reportsTheVolumeAndWhereMessagesAreRefused() throws IOException {
    FileStore store = Files.getFileStore(directory);
    storage = new Storage(directory, store, 1L << 20, ROLL, List.of());
    watch();
    sample(storage);
    Volume volume = watch.view().sizes().known().orElseThrow();
    assertThat(volume.freeBytes()).isCloseTo(store.getUsableSpace() - (1L << 20), within(GB));
    assertThat(volume.sizeBytes()).isLessThanOrEqualTo(store.getTotalSpace());
    assertThat(directory.toString()).startsWith(watch.view().volume());
  }

  @Test
  void figuresThatAreNeverReadAreUnknown() {
    for (int second = 0; second < 120; second++) {
      sample(nothingKnown());
    }
    assertThat(watch.history().growth().written()).isInstanceOf(Figure.Unknown.class);
    assertThat(watch.history().growth().deleted()).isInstanceOf(Figure.Unknown.class);
    assertThat(watch.runway()).isInstanceOf(Figure.Unknown.class);
  }
}
