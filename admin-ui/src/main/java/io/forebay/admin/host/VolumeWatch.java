/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Outlook;
import io.forebay.capacity.RingLengths;
import io.forebay.capacity.Runway;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.VolumeHistory;
import io.forebay.capacity.VolumeSample;
import io.forebay.queue.Storage;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The volume with the queues: sampled once a second, its runway made anew once a minute, its hit
 * rate once an hour. Thread-safe.
 */
final class VolumeWatch {

  private static final Duration HIT_RATE_HORIZON = Duration.ofHours(12);
  private static final String NOT_YET = "not sampled yet";

  private final Supplier<Storage> backend;
  private final String name;
  private final VolumeHistory history = new VolumeHistory(RingLengths.DEFAULT);
  private final QueueRates rates = new QueueRates();
  private Path counting;
  private volatile Figure<Volume> volume = Figure.unknown(NOT_YET);
  private volatile Figure<Runway> runway = Figure.unknown(NOT_YET);
  private volatile Figure<Runway.HitRate> hitRate = Figure.unknown(NOT_YET);

  /**
   * @param backend what it has on the volume, each time it is asked
   */
  VolumeWatch(Supplier<Storage> backend) {
    this.backend = backend;
    Storage storage = backend.get();
    name = MountPoint.of(storage.directory(), storage.volume());
    counting = storage.directory();
  }

  /** The mount point, or what is known of it. */
  String name() {
    return name;
  }

  Path directory() {
    return backend.get().directory();
  }

  Storage storage() {
    return backend.get();
  }

  /**
   * By one thread. Where the volume is unknown, so is what is counted there; and what another
   * directory has counted so far, as after a broker became the fullest, is no growth.
   */
  void sample(Instant now) {
    Storage storage = backend.get();
    volume = read(storage);
    boolean known = volume.known().isPresent();
    boolean same = storage.directory().equals(counting);
    if (known) {
      if (!same) {
        rates.clear();
        counting = storage.directory();
      }
      rates.add(now, storage.queues());
    }
    boolean counted = known && same;
    history.add(
        new VolumeSample(
            now,
            volume
                .map(it -> OptionalLong.of(it.usedBytes()))
                .known()
                .orElseGet(OptionalLong::empty),
            counted ? sum(storage, Storage.OfQueue::appendedBytes) : OptionalLong.empty(),
            counted ? sum(storage, Storage.OfQueue::deletedBytes) : OptionalLong.empty()));
  }

  private static OptionalLong sum(Storage storage, ToLongFunction<Storage.OfQueue> counter) {
    return OptionalLong.of(storage.queues().stream().mapToLong(counter).sum());
  }

  /** Without what the file system keeps for root; accepting stops at the backend's own reserve. */
  private static Figure<Volume> read(Storage storage) {
    FileStore store = storage.volume();
    try {
      long used = store.getTotalSpace() - store.getUnallocatedSpace();
      return Figure.measured(
          new Volume(used + store.getUsableSpace(), used, storage.reserveBytes()));
    } catch (IOException e) {
      return Figure.unknown("the volume does not tell its size (%s)".formatted(e.getMessage()));
    }
  }

  /** Makes the forecast anew. */
  void forecast(Map<String, Until> clears) {
    runway = runway(outlook(clears));
  }

  /** Checks past forecasts. */
  void check() {
    hitRate = history.hitRate(HIT_RATE_HORIZON);
  }

  /** Things as they are. */
  Figure<Outlook> outlook(Map<String, Until> clears) {
    Storage storage = backend.get();
    return volume.map(now -> new QueueFiles(storage, rates).outlook(now, clears));
  }

  /** Things as they are, but for how long results are kept. */
  Figure<Outlook> outlook(Map<String, Until> clears, Duration resultsKept) {
    Storage storage = backend.get();
    return volume.map(
        now -> new QueueFiles(storage, rates).keepingResults(resultsKept).outlook(now, clears));
  }

  /** When the volume is full if things go as they are told to. */
  Figure<Runway> runway(Figure<Outlook> outlook) {
    return outlook.then(history::runway);
  }

  /** As {@link VolumeHistory#curve}, of things as they are. */
  Figure<Runway.Curve> curve(Map<String, Until> clears, Duration atLeast, int points) {
    return outlook(clears).then(it -> history.curve(it, atLeast, points));
  }

  Figure<Volume> volume() {
    return volume;
  }

  /** As of the last minute. */
  Figure<Runway> runway() {
    return runway;
  }

  /** As of the last hour, for forecasts of 12 hours. */
  Figure<Runway.HitRate> hitRate() {
    return hitRate;
  }

  QueueRates rates() {
    return rates;
  }

  VolumeHistory history() {
    return history;
  }
}
