/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static io.forebay.admin.watch.FigureModule.answer;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.admin.history.Series;
import io.forebay.capacity.Figure;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.VolumeHistory;
import io.forebay.capacity.series.Measure;
import io.forebay.queue.Storage;
import io.forebay.report.Host;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The disk: its state and its history. */
@ForebayController
@RequestMapping("/admin/api/v1/storage")
final class StorageController {

  private static final List<Measure> MEASURES = List.of(Measure.USED);

  private final @Nullable VolumeWatch watch;
  private final InstantSource clock;

  /**
   * @param watch null if queues are not on disk
   */
  StorageController(@Nullable VolumeWatch watch, InstantSource clock) {
    this.watch = watch;
    this.clock = clock;
  }

  /** Sizes are bytes, times seconds. */
  record Document(@Nullable OfVolume volume) {}

  /**
   * @param held the files past their retention time, by the service that holds them back
   */
  record OfVolume(
      @JsonUnwrapped Host.VolumeView view,
      String path,
      VolumeHistory.Growth growth,
      Duration roll,
      Map<String, FileRetention.Held> held,
      Figure<Double> othersPerSecond,
      List<Queue> byQueue) {

    static OfVolume of(VolumeWatch watch, InstantSource clock) {
      Storage storage = watch.storage();
      return new OfVolume(
          watch.view(),
          storage.directory().toString(),
          watch.history().growth(),
          storage.roll(),
          new QueueFiles(storage, watch.rates()).held(clock.instant()),
          watch.history().othersPerSecond(),
          storage.queues().stream().map(it -> Queue.of(it, watch.rates())).toList());
    }
  }

  record Queue(
      String queue,
      long bytes,
      int files,
      Duration kept,
      Figure<Double> perSecond,
      Storage.@Nullable Ring ring) {

    static Queue of(Storage.OfQueue queue, QueueRates rates) {
      return new Queue(
          queue.queue(),
          queue.bytes(),
          queue.files().size(),
          queue.kept(),
          rates.perSecond(queue.queue()),
          queue.ring());
    }
  }

  @GetMapping
  ResponseEntity<byte[]> storage() {
    return answer(new Document(watch == null ? null : OfVolume.of(watch, clock)));
  }

  @GetMapping("/series")
  ResponseEntity<byte[]> series(
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(defaultValue = "600") int points) {
    if (watch == null) {
      throw Problem.notFound("There is no volume: queues are not on disk.");
    }
    return answer(Series.of(from, points, clock.instant()).read(MEASURES, watch.history()::read));
  }
}
