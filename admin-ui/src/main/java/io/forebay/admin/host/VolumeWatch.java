/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.Outlook;
import io.forebay.capacity.disk.StoredFile;
import io.forebay.capacity.disk.VolumeHistory;
import io.forebay.capacity.disk.VolumeSample;
import io.forebay.queue.Storage;
import io.forebay.report.Host;
import io.forebay.report.Sampled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Watches the volume of the queues: samples it once a second, and forecasts when it is full. */
final class VolumeWatch implements Host, Sampled {

  private final Supplier<Storage> backend;
  private final Path database;
  private final Supplier<Map<String, Until>> clears;
  private final String name;
  private final VolumeHistory history = new VolumeHistory();
  private final QueueRates rates = new QueueRates();
  private volatile VolumeView view;
  private @Nullable FileStore databaseVolume;

  /**
   * @param backend returns the backend's present storage
   * @param database the directory of Forebay's own database, which need not exist
   * @param clears returns the time until each service has performed the messages that wait now
   */
  VolumeWatch(Supplier<Storage> backend, Path database, Supplier<Map<String, Until>> clears) {
    this.backend = backend;
    this.database = database;
    this.clears = clears;
    Storage storage = backend.get();
    name = MountPoint.of(storage.directory(), storage.volume());
    view = view(Figure.unknown("not sampled yet"), Instant.EPOCH);
  }

  Storage storage() {
    return backend.get();
  }

  QueueRates rates() {
    return rates;
  }

  VolumeHistory history() {
    return history;
  }

  @Override
  public String name() {
    return "the disk";
  }

  /**
   * Takes a sample and renews the forecast. If the volume is unknown, its counters are unknown too.
   */
  @Override
  public void sample(Instant now) {
    Storage storage = backend.get();
    Figure<Volume> volume = read(storage);
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
            known ? sum(storage, Storage.OfQueue::bytes) : OptionalLong.empty(),
            databaseBytes(storage.volume())));
    view = view(volume, now);
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

  /** The size of the files of Forebay's own database; 0 if it is on another volume. */
  private long databaseBytes(FileStore volume) {
    if (!Files.isDirectory(database)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(database)) {
      if (databaseVolume == null) {
        databaseVolume = Files.getFileStore(database); // takes long, so only once
      }
      return volume.equals(databaseVolume) ? files.mapToLong(VolumeWatch::size).sum() : 0;
    } catch (IOException | UncheckedIOException _) {
      return 0; // the next sample reads it again
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException _) {
      return 0; // deleted meanwhile
    }
  }

  private VolumeView view(Figure<Volume> volume, Instant now) {
    Figure<Outlook> outlook = outlook(volume);
    Optional<Outlook> known = outlook.known();
    return new VolumeView(
        name,
        volume,
        outlook.then(history::runway),
        known.flatMap(it -> it.retention().next(deletable(it), it.clears(), now)),
        known
            .filter(it -> it.volume().toFreeBytes() > 0)
            .flatMap(it ->
                it.retention().freeing(it.volume().toFreeBytes(), deletable(it), it.clears(), now)),
        history.othersShare());
  }

  private Figure<Outlook> outlook(Figure<Volume> volume) {
    return volume.map(it -> new QueueFiles(backend.get(), rates).outlook(it, clears.get()));
  }

  /** While messages are refused, no newer files are begun. */
  private static List<StoredFile> deletable(Outlook outlook) {
    return outlook.volume().toFreeBytes() > 0
        ? outlook.files().stream().filter(it -> !it.stays()).toList()
        : outlook.files();
  }

  VolumeView view() {
    return view;
  }

  @Override
  public Optional<VolumeView> volume() {
    return Optional.of(view);
  }

  @Override
  public Figure<Until> fullWith(double extraBytesPerSecond) {
    return outlook(view.sizes()).map(it -> it.withExtra(extraBytesPerSecond)).then(history::full);
  }
}
