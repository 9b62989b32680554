/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.admin.history.Sampled;
import io.forebay.admin.watch.Clears;
import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.capacity.DirtyMemory;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.report.Host;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The volume of the queues, if they are on disk, and the memory of this host. A separate thread
 * computes forecasts between {@link #start()} and {@link #close()}.
 */
final class SharedHost implements Host, Sampled, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SharedHost.class);
  private static final Duration FIRST = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final Optional<VolumeWatch> volume;
  private final KernelMemory memory;
  private final Services services;
  private final Clears clears;
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-forecast",
          EVERY,
          new Outage(log, "Forecast of the disk", "it is retried every second"),
          this::renew);

  /**
   * @param volume empty if queues are not on disk
   */
  SharedHost(Optional<VolumeWatch> volume, KernelMemory memory, Services services, Clears clears) {
    this.volume = volume;
    this.memory = memory;
    this.services = services;
    this.clears = clears;
  }

  void start() {
    task.start(FIRST);
  }

  /** Renews the forecast if it is due. */
  private void renew() {
    volume.filter(VolumeWatch::isForecastDue).ifPresent(it -> it.forecast(clears.clears()));
  }

  /** Renews the forecast. */
  void forecast() {
    volume.ifPresent(it -> it.forecast(clears.clears()));
  }

  Optional<VolumeWatch> watch() {
    return volume;
  }

  private List<String> queues(String service) {
    return services.find(service).map(ServiceOperations::queues).orElse(List.of());
  }

  @Override
  public Optional<VolumeView> volume() {
    return volume.map(it ->
        new VolumeView(
            it.name(), it.volume(), it.runway(), it.next(), it.enough(), it.othersShare()));
  }

  @Override
  public DirtyMemory memory() {
    return memory.history().now();
  }

  @Override
  public Figure<Runway> runway() {
    return volume.map(VolumeWatch::runway).orElseGet(SharedHost::notOnDisk);
  }

  @Override
  public Figure<Until> fullWith(double extraBytesPerSecond) {
    return volume
        .map(it ->
            it.outlook(clears.clears())
                .map(now -> now.withExtra(extraBytesPerSecond))
                .then(it.history()::runway)
                .map(Runway::middle))
        .orElseGet(SharedHost::notOnDisk);
  }

  @Override
  public Figure<Double> growthShare(String service) {
    return volume.map(it -> it.rates().share(queues(service))).orElseGet(SharedHost::notOnDisk);
  }

  private static <T> Figure<T> notOnDisk() {
    return Figure.unknown("queues are not on disk");
  }

  @Override
  public String name() {
    return "host";
  }

  @Override
  public void sample(Instant now) {
    memory.sample(now);
    volume.ifPresent(it -> it.sample(now));
  }

  /** Ends the thread; does not wait for a forecast in progress. */
  @Override
  public void close() {
    task.close(Duration.ZERO);
  }
}
