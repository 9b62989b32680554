/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.Outlook;
import io.forebay.capacity.disk.StoredFile;
import io.forebay.queue.Storage;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The files of all queues of a volume, for forecasts. */
record QueueFiles(Storage storage, QueueRates rates) {

  Outlook outlook(Volume volume, Map<String, Until> clears) {
    return new Outlook(volume, files(), retention(), clears, 0);
  }

  /**
   * The retention of files that are yet to be written. Queues keep files for different times; this
   * is the mean, weighted by the bytes that are written to each queue, so that the bytes on disk
   * are right.
   */
  FileRetention retention() {
    double weights = 0;
    double seconds = 0;
    for (Storage.OfQueue queue : storage.queues()) {
      double weight = rates.perSecond(queue.queue()).known().orElse(0.0);
      weights += weight;
      seconds += weight * queue.kept().toSeconds();
    }
    Duration kept =
        weights > 0
            ? Duration.ofSeconds((long) (seconds / weights))
            : storage.queues().stream()
                .map(Storage.OfQueue::kept)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    return new FileRetention(kept, storage.roll());
  }

  /** The files past their retention time, by the service that holds them back. */
  Map<String, FileRetention.Held> held(Instant now) {
    return retention().heldBack(files(), now);
  }

  List<StoredFile> files() {
    return storage.queues().stream()
        .flatMap(queue ->
            queue.files().stream()
                .map(file ->
                    new StoredFile(
                        file.bytes(),
                        file.closed().plus(kept(queue, file)),
                        file.neededBy(),
                        file.stays())))
        .toList();
  }

  /** One that stays is deleted when a newer file is begun after its time. */
  private Duration kept(Storage.OfQueue queue, Storage.File file) {
    Duration kept = queue.kept();
    return file.stays() && storage.roll().compareTo(kept) > 0 ? storage.roll() : kept;
  }
}
