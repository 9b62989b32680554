/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.capacity.Outlook;
import io.forebay.capacity.Retention;
import io.forebay.capacity.StoredFile;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.queue.Storage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files of all queues of a volume, in the form that forecasts want: with one retention.
 *
 * <p>Queues keep their files for different times: an in-queue until they are performed, an
 * out-queue a time longer. The one retention is the mean of them by what is written to each, so
 * that what is written from now on comes to as many bytes on the disk; and a file there is now is
 * taken as closed so much earlier or later that it goes when it really goes.
 */
record QueueFiles(Storage storage, QueueRates rates, Optional<Duration> resultsKept) {

  QueueFiles(Storage storage, QueueRates rates) {
    this(storage, rates, Optional.empty());
  }

  /** What if those that are kept for a time were kept for another? */
  QueueFiles keepingResults(Duration kept) {
    return new QueueFiles(storage, rates, Optional.of(kept));
  }

  Outlook outlook(Volume volume, Map<String, Until> clears) {
    return new Outlook(volume, files(), Optional.of(retention()), clears);
  }

  Retention retention() {
    double weights = 0;
    double seconds = 0;
    for (Storage.OfQueue queue : storage.queues()) {
      double weight = rates.perSecond(queue.queue()).known().orElse(0.0);
      weights += weight;
      seconds += weight * kept(queue).toSeconds();
    }
    Duration kept =
        weights > 0
            ? Duration.ofSeconds((long) (seconds / weights))
            : storage.queues().stream()
                .map(this::kept)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    return new Retention(kept, storage.roll());
  }

  /** Who holds back files that are due. */
  Map<String, Retention.Held> held(Instant now) {
    return retention().heldBack(files(), now);
  }

  private List<StoredFile> files() {
    Duration mean = retention().kept();
    return storage.queues().stream()
        .flatMap(queue -> {
          Duration later = kept(queue).minus(mean);
          return queue.files().stream()
              .map(file ->
                  new StoredFile(
                      file.name(), file.bytes(), file.closed().plus(later), file.neededBy()));
        })
        .toList();
  }

  private Duration kept(Storage.OfQueue queue) {
    return queue.kept().isZero() ? Duration.ZERO : resultsKept.orElse(queue.kept());
  }
}
