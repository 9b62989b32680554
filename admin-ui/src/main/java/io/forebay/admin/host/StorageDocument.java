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
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Disk and memory, for the page. Sizes are bytes, times seconds. */
record StorageDocument(List<OfVolume> volumes, Memory memory) {

  private static final int FILES_SHOWN = 200;

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
      Figure<Runway.HitRate> hitRate,
      Kept retention,
      List<Held> held,
      @Nullable Next next,
      @Nullable Next enough,
      Figure<Double> othersShare,
      Figure<Double> othersPerSecond,
      List<Queue> byQueue,
      List<File> files,
      int filesInAll) {}

  record Growth(
      Figure<Double> writtenTbPerDay,
      Figure<Double> deletedTbPerDay,
      Figure<Double> othersTbPerDay,
      Figure<Double> netTbPerDay) {}

  record Kept(Figure<Duration> keptSeconds, Figure<Duration> rollSeconds) {}

  record Next(Until in, long bytes) {}

  record Held(String service, int files, long bytes) {}

  record Queue(String queue, long bytes, Figure<Double> tbPerDay, @Nullable Ring ring) {}

  record Ring(long capacityBytes, long usedBytes, long highWaterBytes, double lagSeconds) {}

  record File(
      String name,
      String queue,
      long bytes,
      Instant first,
      Instant closed,
      boolean open,
      List<String> neededBy) {}

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
        watch.hitRate(),
        kept(storage),
        files.held(now).entrySet().stream()
            .map(it -> new Held(it.getKey(), it.getValue().files(), it.getValue().bytes()))
            .toList(),
        next(watch.next()),
        next(watch.enough()),
        watch.othersShare(),
        watch.volume().then(watch.history()::othersPerSecond),
        storage.queues().stream().map(it -> queue(it, watch.rates())).toList(),
        storage.queues().stream()
            .flatMap(queue -> queue.files().stream().map(it -> file(queue, it)))
            .sorted(Comparator.comparing(File::closed).reversed().thenComparing(File::name))
            .limit(FILES_SHOWN)
            .toList(),
        storage.queues().stream().mapToInt(it -> it.files().size()).sum());
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
        storage.roll().isZero()
            ? Figure.unknown("the brokers do not report when they open a file")
            : Figure.measured(storage.roll()));
  }

  private static Queue queue(Storage.OfQueue queue, QueueRates rates) {
    return new Queue(
        queue.queue(),
        queue.bytes(),
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

  private static File file(Storage.OfQueue queue, Storage.File file) {
    return new File(
        file.name(),
        queue.queue(),
        file.bytes(),
        file.begun(),
        file.closed(),
        file.open(),
        file.neededBy().stream().sorted().toList());
  }
}
