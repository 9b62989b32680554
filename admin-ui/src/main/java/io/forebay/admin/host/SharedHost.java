/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.admin.history.Sampled;
import io.forebay.admin.verdict.Host;
import io.forebay.admin.watch.Clears;
import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.capacity.DirtyMemory;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The volumes of the queues, if they are on disk, and the memory of this host. A separate thread
 * computes forecasts between {@link #start()} and {@link #close()}.
 */
final class SharedHost implements Host, Sampled, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SharedHost.class);
  private static final Duration FIRST = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final List<VolumeWatch> volumes;
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
   * @param volumes empty if queues are not on disk
   */
  SharedHost(List<VolumeWatch> volumes, KernelMemory memory, Services services, Clears clears) {
    this.volumes = volumes;
    this.memory = memory;
    this.services = services;
    this.clears = clears;
  }

  void start() {
    task.start(FIRST);
  }

  /** Renews the forecasts that are due. */
  private void renew() {
    for (VolumeWatch volume : volumes) {
      if (volume.isForecastDue()) {
        volume.forecast(clears.clears());
      }
    }
  }

  /** Renews the forecast. */
  void forecast() {
    volumes.forEach(it -> it.forecast(clears.clears()));
  }

  List<VolumeWatch> watches() {
    return volumes;
  }

  private List<String> queues(String service) {
    return services.find(service).map(ServiceOperations::queues).orElse(List.of());
  }

  KernelMemory kernel() {
    return memory;
  }

  Clears clears() {
    return clears;
  }

  @Override
  public List<VolumeView> volumes() {
    return volumes.stream()
        .map(it ->
            new VolumeView(
                it.name(), it.volume(), it.runway(), it.next(), it.enough(), it.othersShare()))
        .toList();
  }

  @Override
  public Optional<String> volume(String service) {
    return volumes.stream().findFirst().map(VolumeWatch::name);
  }

  @Override
  public DirtyMemory memory() {
    return memory.history().now();
  }

  @Override
  public Figure<Runway> runway(String service) {
    return volumes.stream().findFirst().map(VolumeWatch::runway).orElseGet(SharedHost::notOnDisk);
  }

  @Override
  public Figure<Until> fullWith(String service, double extraBytesPerSecond) {
    return volumes.stream()
        .findFirst()
        .map(it ->
            it.outlook(clears.clears())
                .map(now -> now.withExtra(extraBytesPerSecond))
                .then(it.history()::runway)
                .map(Runway::middle))
        .orElseGet(SharedHost::notOnDisk);
  }

  @Override
  public Figure<Double> growthShare(String service) {
    return volumes.stream()
        .findFirst()
        .map(it -> it.rates().share(queues(service)))
        .orElseGet(SharedHost::notOnDisk);
  }

  private static <T> Figure<T> notOnDisk() {
    return Figure.unknown("its queues are not on disk");
  }

  @Override
  public String name() {
    return "host";
  }

  @Override
  public void sample(Instant now) {
    memory.sample(now);
    volumes.forEach(it -> it.sample(now));
  }

  /** Ends the thread; does not wait for a forecast in progress. */
  @Override
  public void close() {
    task.close(Duration.ZERO);
  }
}
