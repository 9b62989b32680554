/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.admin.alerts.AlertLog;
import io.forebay.admin.verdict.Host;
import io.forebay.call.Protocol;
import io.forebay.capacity.DirtyMemory;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.capacity.series.RingLengths;
import io.forebay.hosting.HostedService;
import io.forebay.operations.Instance;
import io.forebay.operations.Services;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WatchMetricsTest {

  /** The protocol of the test service. */
  public interface Greeting {
    void greet(String name);
  }

  private static final Pattern DOCUMENTED =
      Pattern.compile(
          "^\\| `(forebay\\.watch\\.[a-z.]+)` \\| [^|]+ \\|([^|]*)\\|", Pattern.MULTILINE);
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void areExactlyTheDocumentedOnesAndReportTheLatestSample() throws Exception {
    Protocol<Greeting> protocol = Protocol.of(Greeting.class);
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (MemoryBackend backend = MemoryBackend.open();
        Service<Greeting, Greeting> service =
            new Service<>(
                "greeting",
                new Service.End<>(backend.open("greeting.in", 1), protocol),
                new Service.End<>(backend.open("greeting.out", 1), protocol),
                (_, answers) -> answers,
                ServiceOptions.defaults())) {
      Services services = new Services(List.of(new HostedService<>(service)), null);
      InstantSource later = InstantSource.fixed(NOW.plusSeconds(4));
      ServiceWatch watch =
          new ServiceWatch(
              services.all().getFirst(),
              services.latencies("greeting"),
              Duration.ofMinutes(5),
              RingLengths.DEFAULT,
              later);
      Host host = new OneUnknownVolume();
      Watcher watcher =
          new Watcher(
              new Watcher.About(new Instance("test", "memory", NOW), List.of(), "1"),
              List.of(watch),
              new ServiceReports(services, List.of(watch), host),
              host,
              new AlertLog(),
              new Neighbours(null, "test", Set::of),
              new Frames(),
              null,
              new JobWatch(null, () -> Instant.EPOCH),
              List::of,
              _ -> null,
              null);
      new WatchMetrics(watcher, host, later).bindTo(registry);
      assertThat(value(registry, "age.seconds")).isNaN();
      watch.sample(NOW);
      watcher.snapshot(NOW);
      assertThat(value(registry, "age.seconds")).isEqualTo(4);
      assertThat(value(registry, "limit.seconds")).isEqualTo(300);
      assertThat(value(registry, "runway.seconds")).isNaN();
      assertThat(registry.getMeters().stream().map(WatchMetricsTest::asDocumented))
          .isNotEmpty()
          .containsExactlyInAnyOrderElementsOf(documented());
    }
  }

  @Test
  void theSharesOfStatementsAreThoseOfThePage() throws Exception {
    SimulatedServices services = new SimulatedServices(RingLengths.DEFAULT, "orders");
    services.all.getFirst().statements.put("orders.place", 0.75);
    services.sample(60);
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new WatchMetrics(services.watcher, null, () -> services.now).bindTo(registry);
    services.watcher.second(services.now);
    assertThat(share(registry, "orders.place")).isCloseTo(0.75, within(0.001));
    assertThat(share(registry, "")).as("the rest").isCloseTo(0.25, within(0.001));
    assertThat(Files.readString(Path.of("../docs/metrics.md")))
        .contains("| `forebay.statement.share` |");
  }

  private static double share(SimpleMeterRegistry registry, String statement) {
    return registry
        .get("forebay.statement.share")
        .tags("service", "orders", "statement", statement)
        .gauge()
        .value();
  }

  private static Set<String> documented() throws Exception {
    Matcher row = DOCUMENTED.matcher(Files.readString(Path.of("../docs/metrics.md")));
    Set<String> documented = new TreeSet<>();
    while (row.find()) {
      documented.add(row.group(1) + " " + row.group(2).replace("`", "").strip());
    }
    return documented;
  }

  private static String asDocumented(Meter meter) {
    return meter.getId().getName()
        + " "
        + meter.getId().getTags().stream().map(Tag::getKey).collect(Collectors.joining(", "));
  }

  private static double value(SimpleMeterRegistry registry, String name) {
    return registry.get("forebay.watch." + name).gauge().value();
  }

  private static final class OneUnknownVolume implements Host {

    private static final String WHY = "the test has no disk";

    @Override
    public Optional<VolumeView> volume() {
      return Optional.of(
          new VolumeView(
              "/data",
              Figure.unknown(WHY),
              Figure.unknown(WHY),
              Optional.empty(),
              Optional.empty(),
              Figure.unknown(WHY)));
    }

    @Override
    public DirtyMemory memory() {
      return DirtyMemory.unknown(WHY);
    }

    @Override
    public Figure<Runway> runway() {
      return Figure.unknown(WHY);
    }

    @Override
    public Figure<Until> fullWith(double extraBytesPerSecond) {
      return Figure.unknown(WHY);
    }

    @Override
    public Figure<Double> growthShare(String service) {
      return Figure.unknown(WHY);
    }
  }
}
