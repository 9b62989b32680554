/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.Runway;
import io.forebay.capacity.disk.VolumeHistory;
import io.forebay.queue.Storage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Disk and memory, for the page. Sizes are bytes, times seconds. */
record StorageDocument(@Nullable OfVolume volume, Memory memory) {

  record Memory(
      Figure<Long> dirtyBytes, Figure<Long> slowBytes, Figure<Double> writeBackPerSecond) {}

  record OfVolume(
      String volume,
      String path,
      Figure<Long> usedBytes,
      Figure<Long> sizeBytes,
      Figure<Long> stopBytes,
      Figure<Long> toFreeBytes,
      Figure<Runway> runway,
      Growth growth,
      Kept retention,
      List<Held> held,
      @Nullable Next next,
      @Nullable Next enough,
      Figure<Double> othersShare,
      Figure<Double> othersPerSecond,
      List<Queue> byQueue) {}

  record Growth(
      Figure<Double> writtenTbPerDay,
      Figure<Double> deletedTbPerDay,
      Figure<Double> othersTbPerDay,
      Figure<Double> netTbPerDay) {}

  record Kept(Figure<Duration> keptSeconds, Figure<Duration> rollSeconds) {}

  record Next(Until in, long bytes) {}

  record Held(String service, int files, long bytes) {}

  record Queue(
      String queue,
      long bytes,
      int files,
      Duration keptSeconds,
      Figure<Double> tbPerDay,
      @Nullable Ring ring) {}

  record Ring(long capacityBytes, long usedBytes, long highWaterBytes, double lagSeconds) {}

  static OfVolume of(VolumeWatch watch, Instant now) {
    Storage storage = watch.storage();
    QueueFiles files = new QueueFiles(storage, watch.rates());
    VolumeHistory.Growth growth = watch.history().growth();
    return new OfVolume(
        watch.name(),
        storage.directory().toString(),
        watch.volume().map(Volume::usedBytes),
        watch.volume().map(Volume::sizeBytes),
        watch.volume().map(Volume::stopBytes),
        watch.volume().map(Volume::toFreeBytes),
        watch.runway(),
        new Growth(growth.written(), growth.deleted(), growth.others(), growth.net()),
        kept(storage),
        files.held(now).entrySet().stream()
            .map(it -> new Held(it.getKey(), it.getValue().files(), it.getValue().bytes()))
            .toList(),
        next(watch.next()),
        next(watch.enough()),
        watch.othersShare(),
        watch.history().othersPerSecond(),
        storage.queues().stream().map(it -> queue(it, watch.rates())).toList());
  }

  private static @Nullable Next next(Optional<FileRetention.Next> files) {
    return files.map(it -> new Next(it.until(), it.bytes())).orElse(null);
  }

  /** The longest retention of a queue; in-queues keep no performed messages. */
  private static Kept kept(Storage storage) {
    return new Kept(
        storage.queues().stream()
            .map(Storage.OfQueue::kept)
            .max(Duration::compareTo)
            .map(Figure::measured)
            .orElseGet(() -> Figure.unknown("no queue is known on this volume")),
        Figure.measured(storage.roll()));
  }

  private static Queue queue(Storage.OfQueue queue, QueueRates rates) {
    return new Queue(
        queue.queue(),
        queue.bytes(),
        queue.files().size(),
        queue.kept(),
        rates.perSecond(queue.queue()).map(VolumeHistory::terabytesPerDay),
        ring(queue.ring()));
  }

  private static @Nullable Ring ring(Storage.@Nullable Ring ring) {
    return ring == null
        ? null
        : new Ring(
            ring.capacityBytes(),
            ring.usedBytes(),
            ring.highWaterBytes(),
            ring.lag().toNanos() / 1e9);
  }
}
