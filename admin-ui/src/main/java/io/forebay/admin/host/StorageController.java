/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static io.forebay.admin.watch.FigureModule.answer;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.admin.Refused;
import io.forebay.admin.history.Series;
import io.forebay.capacity.DirtyMemory;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.Outlook;
import io.forebay.capacity.disk.Runway;
import io.forebay.capacity.series.Measure;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The disks: their state, its history, and "what if" forecasts. */
@RestController
@RequestMapping("/admin/api/v1/storage")
final class StorageController {

  private static final List<Measure> MEASURES =
      List.of(Measure.USED, Measure.WRITTEN, Measure.DELETED);
  private static final int FORECAST_POINTS = 101;
  private static final double MOST_INTAKE = 1_000;
  private static final long MOST_KEPT_SECONDS = Duration.ofDays(3650).toSeconds();

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
            host.watches().stream().map(it -> StorageDocument.of(it, now)).toList(),
            new StorageDocument.Memory(
                memory.dirtyBytes(), memory.slowsAtBytes(), memory.writtenBackPerSecond())));
  }

  /**
   * @param stopBytes the use at which messages are refused; null if unknown
   * @param forecast used bytes from now on; null if there is none or the requested time ends before
   */
  record SeriesDocument(
      @JsonUnwrapped Series.Past past, @Nullable Long stopBytes, Runway.@Nullable Curve forecast) {}

  @GetMapping("/series")
  ResponseEntity<byte[]> series(
      @RequestParam(required = false) @Nullable String volume,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to,
      @RequestParam(defaultValue = "600") int points) {
    VolumeWatch watch = watch(volume);
    Instant now = clock.instant();
    Series asked = Series.of(from, to, points, now);
    return answer(
        new SeriesDocument(
            asked.read(MEASURES, watch.history()::read),
            watch.volume().map(Volume::stopBytes).known().orElse(null),
            asked.to().isBefore(now) ? null : forecast(watch, asked)));
  }

  private Runway.@Nullable Curve forecast(VolumeWatch watch, Series asked) {
    Duration asLong = Duration.between(asked.from(), asked.to());
    return watch.curve(host.clears().clears(), asLong, FORECAST_POINTS).known().orElse(null);
  }

  record WhatIf(Figure<Runway> runway) {}

  /**
   * @param keepSeconds how long results would be kept
   * @param intake the factor on the intake
   * @param resume the service that would have performed its waiting messages
   */
  @GetMapping("/what-if")
  ResponseEntity<byte[]> whatIf(
      @RequestParam(required = false) @Nullable String volume,
      @RequestParam(required = false) @Nullable Long keepSeconds,
      @RequestParam(required = false) @Nullable Double intake,
      @RequestParam(required = false) @Nullable String resume) {
    VolumeWatch watch = watch(volume);
    if (keepSeconds != null && (keepSeconds < 0 || keepSeconds > MOST_KEPT_SECONDS)) {
      throw Refused.invalid("keepSeconds must be from 0 to ten years.");
    }
    if (intake != null && !(intake >= 0 && intake <= MOST_INTAKE)) {
      throw Refused.invalid("intake must be a factor from 0 to %.0f.".formatted(MOST_INTAKE));
    }
    Map<String, Until> clears = host.clears().clears();
    Figure<Outlook> outlook =
        keepSeconds == null
            ? watch.outlook(clears)
            : watch.outlook(clears, Duration.ofSeconds(keepSeconds));
    if (intake != null) {
      outlook = outlook.map(it -> it.withIntake(intake));
    }
    if (resume != null) {
      outlook =
          outlook.then(it ->
              Figure.estimated(
                  it.clearing(resume, new Until.Passed()),
                  "assumes that %s has performed its waiting messages".formatted(resume)));
    }
    return answer(new WhatIf(watch.runway(outlook)));
  }

  private VolumeWatch watch(@Nullable String volume) {
    List<VolumeWatch> known = host.watches();
    return known.stream()
        .filter(it -> volume == null || volume.equals(it.name()))
        .findFirst()
        .orElseThrow(() ->
            Refused.notFound(
                known.isEmpty()
                    ? "There is no volume: queues are not on disk."
                    : "There is no such volume (known: %s)."
                        .formatted(
                            known.stream()
                                .map(VolumeWatch::name)
                                .collect(Collectors.joining(", ")))));
  }
}
