/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.operations.LookAt;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.queue.Appender;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState.Phase;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ServiceMetricsTest {

  /** The protocol of the test service. */
  public interface Greeting {
    void greet(String name);
  }

  private static final Pattern DOCUMENTED =
      Pattern.compile(
          "^\\| `(forebay\\.service\\.[a-z.]+)` \\| ([^|]+) \\|([^|]*)\\|", Pattern.MULTILINE);

  private final MemoryBackend backend = MemoryBackend.open();
  private final Protocol<Greeting> protocol = Protocol.of(Greeting.class);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private Service<Greeting, Greeting> service;

  @BeforeEach
  void start() {
    service =
        new Service<>(
            "greeting",
            new Service.End<>(backend.open("greeting.in", 1), protocol),
            new Service.End<>(backend.open("greeting.out", 1), protocol),
            (_, answers) -> answers,
            ServiceOptions.defaults());
    new ServiceMetrics(new Services(List.of(new HostedService<>(service)), null)).bindTo(registry);
  }

  @AfterEach
  void stop() {
    service.close();
    backend.close();
  }

  @Test
  void areExactlyTheDocumentedOnesWithUnitsAndLabels() throws Exception {
    Matcher row = DOCUMENTED.matcher(Files.readString(Path.of("../../docs/metrics.md")));
    Set<String> documented = new TreeSet<>();
    while (row.find()) {
      documented.add(
          row.group(1) + " " + row.group(2) + " " + row.group(3).replace("`", "").strip());
    }
    Set<String> real =
        registry.getMeters().stream()
            .map(ServiceMetricsTest::asDocumented)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(documented).isNotEmpty().isEqualTo(real);
  }

  private static String asDocumented(Meter meter) {
    String unit = meter.getId().getBaseUnit();
    List<String> labels = List.of("state", "partition", "station", "percentile", "queue");
    String found =
        labels.stream()
            .filter(label -> meter.getId().getTag(label) != null)
            .sorted(Comparator.comparing(label -> label.equals("percentile") ? 1 : 0))
            .collect(Collectors.joining(", "));
    return meter.getId().getName() + " " + (unit == null ? "0 or 1" : unit) + " " + found;
  }

  private double value(String name, String... tags) {
    Meter meter = registry.get("forebay.service." + name).tags(tags).meter();
    return meter.measure().iterator().next().getValue();
  }

  /** As on Kafka before the brokers have responded. */
  @Test
  void doNotReportThatNothingIsDeletedWhileThatIsUnknown() {
    ServiceOperations known = new HostedService<>(service);
    ServiceOperations unknown =
        (ServiceOperations)
            Proxy.newProxyInstance(
                ServiceOperations.class.getClassLoader(),
                new Class<?>[] {ServiceOperations.class},
                (_, method, args) ->
                    method.getName().equals("keepsUnperformed")
                        ? false
                        : method.invoke(known, args));
    try (Writer<Greeting> writer = protocol.writer(service.in().queue())) {
      writer.calls().greet("olga");
    }
    Services services = new Services(List.of(known), null);
    assertThat(new LookAt(known, services.latencies("greeting")).lossSeconds())
        .isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(new LookAt(unknown, services.latencies("greeting")).lossSeconds()).isNaN();
  }

  @Test
  void reportWhatTheServiceDoes() {
    service.pause("for the test");
    service.start();
    try (Writer<Greeting> writer = protocol.writer(service.in().queue());
        Appender appender = service.in().queue().appender()) {
      writer.calls().greet("olga");
      writer.calls().greet("otto");
      appender.append(0, ByteBuffer.wrap(new byte[] {1}));
    }
    await().until(() -> value("behind.messages") == 3);
    assertThat(value("behind.seconds")).isGreaterThanOrEqualTo(0);
    assertThat(value("state", "state", "paused")).isEqualTo(1);
    assertThat(value("accepting")).isEqualTo(1);
    service.resume();
    await().until(() -> value("performed") == 3);
    assertThat(value("accepted")).isEqualTo(3);
    assertThat(value("dead.letters")).isEqualTo(1);
    assertThat(value("behind.messages")).isZero();
    assertThat(value("behind.seconds")).isZero();
    assertThat(value("queue.bytes", "queue", "out")).isPositive();
    assertThat(value("state", "state", "running")).isEqualTo(1);
    assertThat(service.state().phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void countWhatTheQueueRefuses() {
    service.in().queue().stopAccepting();
    try (Writer<Greeting> writer = protocol.writer(service.in().queue())) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> writer.calls().greet("olga")).isInstanceOf(QueueRefused.class);
      }
    }
    await().until(() -> value("refused") == 2);
  }
}
