/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.admin.verdict.Host;
import io.forebay.admin.watch.Clears;
import io.forebay.admin.watch.Sampled;
import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.capacity.DirtyMemory;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
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
  private static final Duration EVERY = Duration.ofMinutes(1);
  private static final int TURNS_BETWEEN_CHECKS = 60;

  private final Optional<VolumeWatch> volume;
  private final KernelMemory memory;
  private final Services services;
  private final Clears clears;
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-forecast",
          EVERY,
          new Outage(log, "Forecast of the disk", "it is retried every minute"),
          this::forecastAndCheck);
  private int turns;

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

  /** Renews the forecast; once an hour also checks past ones. */
  private void forecastAndCheck() {
    forecast();
    if (turns++ % TURNS_BETWEEN_CHECKS == 0) {
      volume.ifPresent(VolumeWatch::check);
    }
  }

  /** Renews the forecast. */
  void forecast() {
    volume.ifPresent(it -> it.forecast(clears.clears()));
  }

  Optional<VolumeWatch> volume() {
    return volume;
  }

  KernelMemory kernel() {
    return memory;
  }

  Clears clears() {
    return clears;
  }

  @Override
  public List<VolumeView> volumes() {
    return volume.map(it -> new VolumeView(it.name(), it.volume(), it.runway())).stream().toList();
  }

  @Override
  public DirtyMemory memory() {
    return memory.history().now();
  }

  @Override
  public Figure<Until> fullLow(String service) {
    return volume.map(it -> it.runway().map(Runway::low)).orElseGet(SharedHost::notOnDisk);
  }

  @Override
  public Figure<Until> fullWith(String service, double extraBytesPerSecond) {
    return volume
        .map(it ->
            it.runway(it.outlook(clears.clears()).map(now -> now.withExtra(extraBytesPerSecond)))
                .map(Runway::middle))
        .orElseGet(SharedHost::notOnDisk);
  }

  @Override
  public Figure<Double> growthShare(String service) {
    List<String> queues = services.find(service).map(ServiceOperations::queues).orElse(List.of());
    return volume.map(it -> it.rates().share(queues)).orElseGet(SharedHost::notOnDisk);
  }

  private static <T> Figure<T> notOnDisk() {
    return Figure.unknown("its queues are not on disk");
  }

  @Override
  public String history() {
    return "host";
  }

  @Override
  public void sample(Instant now) {
    memory.sample(now);
    volume.ifPresent(it -> it.sample(now));
  }

  @Override
  public byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      write(out, memory.history().toBytes());
      if (volume.isPresent()) {
        out.writeUTF(volume.get().name());
        write(out, volume.get().history().toBytes());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, byte[] part) throws IOException {
    out.writeInt(part.length);
    out.write(part);
  }

  /** Restores the history; that of another volume is discarded. */
  @Override
  public void restore(byte[] history) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(history))) {
      memory.history().restore(read(in));
      if (in.available() > 0 && volume.isPresent()) {
        String name = in.readUTF();
        byte[] past = read(in);
        if (name.equals(volume.get().name())) {
          volume.get().history().restore(past);
        }
      }
    }
  }

  private static byte[] read(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new IOException("a part of %d bytes is not valid".formatted(length));
    }
    return in.readNBytes(length);
  }

  /** Ends the thread; does not wait for a forecast in progress. */
  @Override
  public void close() {
    task.close(Duration.ZERO);
  }
}
