/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.admin.watch.Clears;
import io.forebay.call.Protocol;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.Outlook;
import io.forebay.hosting.HostedService;
import io.forebay.operations.Services;
import io.forebay.queue.Storage;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedHostTest {

  /** The protocol of the test service. */
  public interface Order {
    void buy(long number);
  }

  private static final Protocol<Order> PROTOCOL = Protocol.of(Order.class);
  private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration ROLL = Duration.ofHours(1);

  @TempDir Path directory;

  private final MemoryBackend queues = MemoryBackend.open();
  private final Service<Order, Order> service =
      new Service<>(
          "orders",
          new Service.End<>(queues.open("orders.in", 1), PROTOCOL),
          new Service.End<>(queues.open("orders.out", 1), PROTOCOL),
          (_, answers) -> answers,
          ServiceOptions.defaults());
  private final Services services = new Services(List.of(new HostedService<>(service)), null);
  private FileStore store;
  private List<Storage.OfQueue> onDisk = List.of();
  private long reserve;
  private Map<String, Until> clears = Map.of();

  @BeforeEach
  void volume() throws IOException {
    store = Files.getFileStore(directory);
  }

  @AfterEach
  void close() {
    service.close();
    queues.close();
  }

  private Storage storage() {
    return new Storage(directory, store, reserve, ROLL, onDisk);
  }

  private SharedHost host() {
    return host(() -> clears);
  }

  private SharedHost host(Clears known) {
    return new SharedHost(
        Optional.of(new VolumeWatch(this::storage)), new KernelMemory(directory), services, known);
  }

  private static Storage.OfQueue queue(
      String name, Duration kept, long appended, Storage.File... files) {
    return new Storage.OfQueue(name, kept, appended, 0, List.of(files));
  }

  private static Storage.File file(String name, long bytes, Instant closed, String... neededBy) {
    return new Storage.File(name, bytes, closed.minus(ROLL), closed, false, Set.of(neededBy));
  }

  /** Simulates a minute per sample, so that there is soon some history. */
  private Instant write(SharedHost host, Duration time, long inPerSecond, long outPerSecond) {
    long before = onDisk.isEmpty() ? 0 : onDisk.getFirst().appendedBytes();
    for (long second = 0; second <= time.toSeconds(); second += 10) {
      onDisk =
          List.of(
              queue("orders.in", Duration.ZERO, before + second * inPerSecond),
              queue("orders.out", Duration.ofHours(72), second * outPerSecond));
      host.sample(START.plusSeconds(second));
    }
    return START.plus(time);
  }

  @Test
  void reportsTheVolumeAndWhereMessagesAreRefused() throws IOException {
    reserve = 1L << 20;
    try (SharedHost host = host()) {
      assertThat(host.volume().orElseThrow().volume()).isInstanceOf(Figure.Unknown.class);
      host.sample(START);
      Volume volume = host.volume().orElseThrow().volume().known().orElseThrow();
      assertThat(volume.freeBytes()).isCloseTo(store.getUsableSpace() - reserve, within(1L << 30));
      assertThat(volume.sizeBytes()).isLessThanOrEqualTo(store.getTotalSpace());
      assertThat(volume.reserveBytes()).isEqualTo(reserve);
      assertThat(directory.toString()).startsWith(host.volume().orElseThrow().name());
    }
  }

  @Test
  void forecastsFromTheFirstMinuteOnAndReportsWhatItNeedsBefore() {
    try (SharedHost host = host()) {
      write(host, Duration.ofSeconds(30), 1_000, 500);
      host.forecast();
      assertThat(host.runway()).isEqualTo(Figure.unknown("needs a minute of samples"));
      onDisk = List.of();
    }
    try (SharedHost host = host()) {
      write(host, Duration.ofMinutes(20), 1_000, 500);
      host.forecast();
      assertThat(host.runway().known()).isPresent();
      long free = host.volume().orElseThrow().volume().known().orElseThrow().freeBytes();
      Until full = host.fullWith(free / 3600.0).known().orElseThrow();
      assertThat(full.left().orElseThrow())
          .isBetween(Duration.ofMinutes(30), Duration.ofMinutes(61));
    }
  }

  /** It is not later than that at which the alert says that the disk is full. */
  @Test
  void aBurstReckonsWithTheGrowthOfTheLastSeconds() {
    VolumeWatchTest.Disk disk = new VolumeWatchTest.Disk(true);
    List<Storage.OfQueue> own = List.of(queue("orders.in", Duration.ZERO, 0));
    VolumeWatch watch = new VolumeWatch(() -> new Storage(directory, disk, 0, ROLL, own));
    try (SharedHost host =
        new SharedHost(Optional.of(watch), new KernelMemory(directory), services, () -> clears)) {
      for (int second = 0; second < 30; second++) {
        disk.used += second < 20 ? 0 : 5L << 30;
        host.sample(START.plusSeconds(second));
      }
      host.forecast();
      Until full = host.runway().known().orElseThrow().middle();
      assertThat(host.fullWith(5L << 30).known().orElseThrow().left().orElseThrow())
          .isCloseTo(full.left().orElseThrow().dividedBy(2), Duration.ofSeconds(1));
    }
  }

  @Test
  void sharesTheGrowthAmongServices() {
    try (SharedHost host = host()) {
      onDisk = List.of();
      for (long second = 0; second <= 120; second += 10) {
        onDisk =
            List.of(
                queue("orders.in", Duration.ZERO, second * 200),
                queue("orders.out", Duration.ZERO, second * 100),
                queue("others.in", Duration.ZERO, second * 700));
        host.sample(START.plusSeconds(second));
      }
      assertThat(host.growthShare("orders").known().orElseThrow()).isCloseTo(0.3, within(1e-9));
      assertThat(host.growthShare("none").known().orElseThrow()).isZero();
    }
  }

  @Test
  void reportsThatMemoryQueuesHaveNoVolume() {
    try (SharedHost host =
        new SharedHost(Optional.empty(), new KernelMemory(directory), services, () -> clears)) {
      host.sample(START);
      host.forecast();
      assertThat(host.volume()).isEmpty();
      assertThat(host.runway()).isEqualTo(Figure.unknown("queues are not on disk"));
    }
  }

  /** The two newest files of a partition stay until newer ones are begun. */
  @Test
  void theTimeAtWhichAFileIsDeletedDoesNotDependOnWhatIsWrittenToOtherQueues() {
    Instant closed = START.plus(Duration.ofMinutes(30));
    Storage.File open =
        new Storage.File("in", 1_000, closed.minus(ROLL), closed, true, Set.of(), true);
    for (long results : new long[] {0, 10, 1_000}) {
      QueueRates rates = new QueueRates();
      for (int i = 0; i < 2; i++) {
        onDisk =
            List.of(
                queue("orders.in", Duration.ZERO, 100L * i, open),
                queue("orders.out", ROLL, results * i));
        rates.add(START.plusSeconds(60 * i), onDisk);
      }
      Outlook outlook = new QueueFiles(storage(), rates).outlook(new Volume(1, 1, 0), Map.of());
      assertThat(outlook.retention().next(outlook.files(), Map.of(), START))
          .as("%d bytes of results", results)
          .contains(
              new FileRetention.Next(
                  new Until.In(Duration.between(START, closed.plus(ROLL))), 1_000));
    }
  }

  @Test
  void deletesFilesAtTheRightTimeAlthoughQueuesKeepThemForDifferentTimes() {
    Instant closed = START.minus(Duration.ofHours(10));
    onDisk =
        List.of(
            queue("orders.in", Duration.ZERO, 0, file("in", 1_000, closed, "orders")),
            queue("orders.out", Duration.ofHours(30), 0, file("out", 100, closed)));
    QueueRates rates = new QueueRates();
    rates.add(START, onDisk);
    onDisk =
        List.of(
            queue("orders.in", Duration.ZERO, 200, onDisk.get(0).files().getFirst()),
            queue("orders.out", Duration.ofHours(30), 100, onDisk.get(1).files().getFirst()));
    rates.add(START.plus(Duration.ofMinutes(1)), onDisk);
    QueueFiles files = new QueueFiles(storage(), rates);

    assertThat(files.retention()).isEqualTo(new FileRetention(Duration.ofHours(10), ROLL));
    assertThat(files.held(START)).isEqualTo(Map.of("orders", new FileRetention.Held(1, 1_000)));
    var outlook = files.outlook(new Volume(1, 1, 0), Map.of());
    assertThat(outlook.files().get(0).closed().plus(Duration.ofHours(10))).isEqualTo(closed);
    assertThat(outlook.files().get(1).closed().plus(Duration.ofHours(10)))
        .isEqualTo(closed.plus(Duration.ofHours(30)));
  }
}
