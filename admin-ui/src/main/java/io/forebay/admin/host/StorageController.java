/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static io.forebay.admin.watch.FigureModule.answer;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.admin.history.Series;
import io.forebay.capacity.DirtyMemory;
import io.forebay.capacity.Volume;
import io.forebay.capacity.series.Measure;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The disk: its state and its history. */
@ForebayController
@RequestMapping("/admin/api/v1/storage")
final class StorageController {

  private static final List<Measure> MEASURES =
      List.of(Measure.USED, Measure.WRITTEN, Measure.DELETED);

  private final SharedHost host;
  private final InstantSource clock;

  StorageController(SharedHost host, InstantSource clock) {
    this.host = host;
    this.clock = clock;
  }

  @GetMapping
  ResponseEntity<byte[]> storage() {
    Instant now = clock.instant();
    DirtyMemory memory = host.memory();
    return answer(
        new StorageDocument(
            host.watch().map(it -> StorageDocument.of(it, now)).orElse(null),
            new StorageDocument.Memory(
                memory.dirtyBytes(), memory.slowsAtBytes(), memory.writtenBackPerSecond())));
  }

  /**
   * @param stopBytes the use at which messages are refused; null if unknown
   */
  record SeriesDocument(@JsonUnwrapped Series.Past past, @Nullable Long stopBytes) {}

  @GetMapping("/series")
  ResponseEntity<byte[]> series(
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to,
      @RequestParam(defaultValue = "600") int points) {
    VolumeWatch watch =
        host.watch()
            .orElseThrow(() -> Problem.notFound("There is no volume: queues are not on disk."));
    Series asked = Series.of(from, to, points, clock.instant());
    return answer(
        new SeriesDocument(
            asked.read(MEASURES, watch.history()::read),
            watch.volume().map(Volume::stopBytes).known().orElse(null)));
  }
}
