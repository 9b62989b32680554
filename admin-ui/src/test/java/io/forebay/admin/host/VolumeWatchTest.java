/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import io.forebay.queue.Storage;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A volume reported by others, as by brokers, which do not always report it. */
class VolumeWatchTest {

  private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
  private static final long GB = 1L << 30;

  private Storage storage = nothingKnown();
  private final VolumeWatch watch = new VolumeWatch(() -> storage);
  private Instant now = START;

  /** A disk whose size may be unknown. */
  static final class Disk extends FileStore {

    private final boolean told;

    /** More than at first. */
    long used;

    Disk(boolean told) {
      this.told = told;
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
            new Storage.OfQueue("orders.in", Duration.ofDays(7), appended, deleted, List.of())));
  }

  private void sample(Storage next) {
    storage = next;
    watch.sample(now);
    now = now.plusSeconds(1);
  }

  private double most(Measure measure) {
    Points points = watch.history().read(measure, START, now, Duration.ofSeconds(1));
    return IntStream.range(0, points.size())
        .mapToObj(points::value)
        .flatMapToDouble(OptionalDouble::stream)
        .max()
        .orElseThrow();
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
    assertThat(watch.enough()).as("nothing has to be freed").isEmpty();
    assertThat(nextWithReserve(500 * GB)).contains(new FileRetention.Next(new Until.Passed(), 2));
    assertThat(watch.enough()).as("50 GiB are not there").isEmpty();
    assertThat(StorageDocument.of(watch, now).toFreeBytes()).isEqualTo(Figure.measured(50 * GB));
    assertThat(nextWithReserve(500 * GB, 60 * GB)).isPresent();
    assertThat(watch.enough())
        .contains(new FileRetention.Next(new Until.In(Duration.ofHours(1)), 60 * GB + 2));
  }

  /** The forecast is renewed once a minute. */
  @Test
  void theTimeUntilAFileIsDeletedPassesBetweenForecasts() {
    nextWithReserve(500 * GB, 60 * GB);
    now = now.plusSeconds(50);
    watch.sample(now);
    assertThat(watch.enough())
        .contains(
            new FileRetention.Next(
                new Until.In(Duration.ofHours(1).minusSeconds(50)), 60 * GB + 2));
  }

  private Optional<FileRetention.Next> nextWithReserve(long reserve, long... later) {
    List<Storage.File> files = new ArrayList<>();
    Instant before = now.minus(Duration.ofHours(1));
    files.add(new Storage.File("a", 1, before, before, false, Set.of(), true));
    files.add(new Storage.File("b", 2, before, before.plusSeconds(1), false, Set.of()));
    for (long bytes : later) {
      files.add(new Storage.File("c", bytes, now, now.plus(Duration.ofHours(1)), true, Set.of()));
    }
    storage =
        new Storage(
            Path.of("disk"),
            new Disk(true),
            reserve,
            Duration.ofHours(1),
            List.of(new Storage.OfQueue("orders.in", Duration.ZERO, 1, 0, files)));
    watch.sample(now);
    watch.forecast(Map.of());
    return watch.next();
  }

  @Test
  void figuresThatAreNeverReadAreUnknown() {
    for (int second = 0; second < 120; second++) {
      sample(nothingKnown());
    }
    StorageDocument.OfVolume document = StorageDocument.of(watch, now);
    assertThat(document.growth().writtenTbPerDay()).isInstanceOf(Figure.Unknown.class);
    assertThat(document.growth().deletedTbPerDay()).isInstanceOf(Figure.Unknown.class);
    assertThat(document.retention().keptSeconds()).isInstanceOf(Figure.Unknown.class);
  }
}
