/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.Outlook;
import io.forebay.capacity.disk.Runway;
import io.forebay.capacity.disk.StoredFile;
import io.forebay.capacity.disk.VolumeHistory;
import io.forebay.capacity.disk.VolumeSample;
import io.forebay.capacity.series.RingLengths;
import io.forebay.queue.Storage;
import java.io.IOException;
import java.nio.file.FileStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Watches the volume of the queues: samples it once a second, and renews its runway once a minute,
 * or sooner if it is short. Thread-safe.
 */
final class VolumeWatch {

  private static final Duration RENEWED = Duration.ofMinutes(1);
  private static final Duration RENEWED_IF_SHORT = Duration.ofSeconds(3);
  private static final Duration SHORT = Duration.ofHours(2);

  /** If it is full sooner, the forecast is renewed with each sample. */
  private static final Duration SOON = Duration.ofMinutes(5);

  /** The share of the volume that was written or freed since the forecast. */
  private static final double CHANGED = 0.02;

  /** The same, as a share of what was free then: a second's growth if that fills it in minutes. */
  private static final double CHANGED_OF_FREE = 0.005;

  /** Of the volume: less changes no forecast, also on a full disk. */
  private static final double LEAST = 0.001;

  private static final String NOT_YET = "not sampled yet";

  private final Supplier<Storage> backend;
  private final String name;
  private final VolumeHistory history = new VolumeHistory(RingLengths.DEFAULT);
  private final QueueRates rates = new QueueRates();
  private volatile Figure<Volume> volume = Figure.unknown(NOT_YET);
  private volatile Figure<Runway> runway = Figure.unknown(NOT_YET);
  private volatile Optional<FileRetention.Next> next = Optional.empty();
  private volatile Optional<FileRetention.Next> enough = Optional.empty();
  private volatile Figure<Double> othersShare = Figure.unknown(NOT_YET);
  private volatile Instant forecastAt = Instant.EPOCH;
  private volatile long usedThen;

  /**
   * @param backend returns the backend's present storage
   */
  VolumeWatch(Supplier<Storage> backend) {
    this.backend = backend;
    Storage storage = backend.get();
    name = MountPoint.of(storage.directory(), storage.volume());
  }

  /** The mount point. */
  String name() {
    return name;
  }

  Storage storage() {
    return backend.get();
  }

  /**
   * Takes a sample; one thread calls it. If the volume is unknown, its counters are unknown too.
   */
  void sample(Instant now) {
    Storage storage = backend.get();
    volume = read(storage);
    boolean known = volume.known().isPresent();
    if (known) {
      rates.add(now, storage.queues());
    }
    history.add(
        new VolumeSample(
            now,
            volume
                .map(it -> OptionalLong.of(it.usedBytes()))
                .known()
                .orElseGet(OptionalLong::empty),
            known ? sum(storage, Storage.OfQueue::appendedBytes) : OptionalLong.empty(),
            known ? sum(storage, Storage.OfQueue::deletedBytes) : OptionalLong.empty(),
            known ? sum(storage, Storage.OfQueue::bytes) : OptionalLong.empty()));
  }

  private static OptionalLong sum(Storage storage, ToLongFunction<Storage.OfQueue> counter) {
    return OptionalLong.of(storage.queues().stream().mapToLong(counter).sum());
  }

  /**
   * Reads the volume without the part that the file system reserves for root, with the backend's
   * own reserve.
   */
  private static Figure<Volume> read(Storage storage) {
    FileStore store = storage.volume();
    try {
      long used = store.getTotalSpace() - store.getUnallocatedSpace();
      return Figure.measured(
          new Volume(used + store.getUsableSpace(), used, storage.reserveBytes()));
    } catch (IOException e) {
      return Figure.unknown("the size of the volume cannot be read (%s)".formatted(e.getMessage()));
    }
  }

  /** Renews the forecast. */
  void forecast(Map<String, Until> clears) {
    Figure<Outlook> outlook = outlook(clears);
    Instant now = history.at().orElse(Instant.EPOCH);
    forecastAt = now;
    usedThen = used();
    runway = outlook.then(history::runway);
    othersShare = history.othersShare();
    next = outlook.known().flatMap(it -> it.retention().next(deletable(it), it.clears(), now));
    enough =
        outlook
            .known()
            .filter(it -> it.volume().toFreeBytes() > 0)
            .flatMap(it ->
                it.retention().freeing(it.volume().toFreeBytes(), deletable(it), it.clears(), now));
  }

  /** While messages are refused, no newer files are begun. */
  private static List<StoredFile> deletable(Outlook outlook) {
    return outlook.volume().toFreeBytes() > 0
        ? outlook.files().stream().filter(it -> !it.stays()).toList()
        : outlook.files();
  }

  /**
   * Whether the forecast is a minute old, or it is worth renewing it sooner: little time was left,
   * none was known, or much was written or freed since.
   */
  boolean isForecastDue() {
    Duration old = Duration.between(forecastAt, history.at().orElse(Instant.MAX));
    Duration left = runway.known().flatMap(it -> it.low().left()).orElse(SOON);
    return old.isNegative() // the clock was set back
        || old.compareTo(RENEWED) >= 0
        || (left.compareTo(SHORT) < 0 && old.compareTo(RENEWED_IF_SHORT) >= 0)
        || (left.compareTo(SOON) < 0 && old.isPositive())
        || volume.known().filter(this::isChanged).isPresent();
  }

  private boolean isChanged(Volume now) {
    double free = Math.max(0, now.stopBytes() - usedThen);
    return Math.abs(now.usedBytes() - usedThen)
        > Math.clamp(CHANGED_OF_FREE * free, LEAST * now.sizeBytes(), CHANGED * now.sizeBytes());
  }

  private long used() {
    return volume.known().map(Volume::usedBytes).orElse(0L);
  }

  /** The present situation. */
  Figure<Outlook> outlook(Map<String, Until> clears) {
    Storage storage = backend.get();
    return volume.map(now -> new QueueFiles(storage, rates).outlook(now, clears));
  }

  Figure<Volume> volume() {
    return volume;
  }

  /** The runway as of the last forecast. */
  Figure<Runway> runway() {
    return runway;
  }

  /** The file that is deleted first. */
  Optional<FileRetention.Next> next() {
    return next.map(this::sinceForecast);
  }

  private FileRetention.Next sinceForecast(FileRetention.Next files) {
    return files.after(Duration.between(forecastAt, history.at().orElse(forecastAt)));
  }

  /**
   * The files after whose deletion messages are accepted again, as of the last forecast; empty if
   * all are not enough, and while nothing has to be freed.
   */
  Optional<FileRetention.Next> enough() {
    return enough.map(this::sinceForecast);
  }

  /** {@link VolumeHistory#othersShare} as of the last forecast. */
  Figure<Double> othersShare() {
    return othersShare;
  }

  QueueRates rates() {
    return rates;
  }

  VolumeHistory history() {
    return history;
  }
}
