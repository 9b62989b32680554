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
import io.forebay.capacity.ServiceSample;
import io.forebay.hosting.HostedService;
import io.forebay.machine.Machine;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.ServiceReadings;
import io.forebay.operations.Services;
import io.forebay.operations.StatementCounts;
import io.forebay.queue.Appender;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.report.ServiceReports;
import io.forebay.report.ServiceWatch;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState.Phase;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ServiceMetricsTest {

  /** The protocol of the test service. */
  public interface Greeting {
    void greet(String name);
  }

  private final MemoryBackend backend = MemoryBackend.open();
  private final Protocol<Greeting> protocol = Protocol.of(Greeting.class);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private Service<Greeting, Greeting> service;
  private ServiceReports reports;

  @BeforeEach
  void start() {
    service =
        new Service<>(
            "greeting",
            new Service.End<>(backend.open("greeting.in", 1), protocol),
            new Service.End<>(backend.open("greeting.out", 1), protocol),
            (_, answers) -> answers,
            ServiceOptions.defaults());
    bindOnly(new HostedService<>(service));
  }

  @AfterEach
  void stop() {
    service.close();
    backend.close();
  }

  private double value(String name, String... tags) {
    Meter meter = registry.get("forebay.service." + name).tags(tags).meter();
    return meter.measure().iterator().next().getValue();
  }

  private double watched(String name) {
    return registry.get("forebay.watch." + name).gauge().value();
  }

  /** The service, except for the answers of some methods. */
  private ServiceOperations but(Map<String, Supplier<Object>> answers) {
    ServiceOperations known = new HostedService<>(service);
    return (ServiceOperations)
        Proxy.newProxyInstance(
            ServiceOperations.class.getClassLoader(),
            new Class<?>[] {ServiceOperations.class},
            (proxy, method, args) ->
                answers.containsKey(method.getName())
                    ? answers.get(method.getName()).get()
                    : method.getName().equals("loss")
                        ? InvocationHandler.invokeDefault(proxy, method, args)
                        : method.invoke(known, args));
  }

  private ServiceReadings bindOnly(ServiceOperations other) {
    registry.clear();
    Services services = new Services(List.of(other), null);
    ServiceReadings readings = services.readings("greeting");
    ServiceWatch watch = new ServiceWatch(other, readings, Duration.ofMinutes(5), Machine.wall());
    reports = new ServiceReports(services, List.of(watch), null, null);
    new ServiceMetrics(services, reports, null).bindTo(registry);
    return readings;
  }

  private void sample(Instant now) {
    reports.watches().forEach(it -> it.sample(now));
    reports.make(now);
  }

  /** As on Kafka before the brokers have responded. */
  @Test
  void doNotReportThatNothingIsDeletedWhileThatIsUnknown() {
    try (Writer<Greeting> writer = protocol.writer(service.in().queue())) {
      writer.calls().greet("olga");
    }
    assertThat(value("loss.seconds")).isEqualTo(Double.POSITIVE_INFINITY);
    bindOnly(but(Map.of("keepsUnperformed", () -> false)));
    sample(Instant.now());
    assertThat(value("loss.seconds")).isNaN();
  }

  /** On Kafka the end is unknown until the brokers have responded. */
  @Test
  void doNotCountWhatWasAcceptedBeforeTheEndOfTheQueueWasKnown() {
    AtomicReference<OptionalLong> end = new AtomicReference<>(OptionalLong.empty());
    ServiceReadings readings = bindOnly(but(Map.of("sample", () -> sample(end.get()))));
    assertThat(value("accepted")).isZero();
    end.set(OptionalLong.of(1_000_000));
    readings.read(Instant.EPOCH);
    assertThat(value("accepted")).isZero();
    end.set(OptionalLong.of(1_000_007));
    readings.read(Instant.EPOCH);
    assertThat(value("accepted")).isEqualTo(7);
    end.set(OptionalLong.empty());
    readings.read(Instant.EPOCH);
    assertThat(value("accepted")).isEqualTo(7);
  }

  private static ServiceSample sample(OptionalLong end) {
    return new ServiceSample(
        Instant.EPOCH,
        end,
        end,
        0,
        0,
        OptionalLong.empty(),
        Optional.empty(),
        1,
        0,
        OptionalDouble.empty(),
        false);
  }

  /** Its figures stay as they are while it cannot be sampled. */
  @Test
  void theAgeIsThatOfTheServiceWhoseFiguresAreOldest() {
    registry.clear();
    Services services =
        new Services(
            List.of(new HostedService<>(service), but(Map.of("name", () -> "other"))), null);
    List<ServiceWatch> watches =
        services.all().stream()
            .map(it ->
                new ServiceWatch(
                    it, services.readings(it.name()), Duration.ofMinutes(5), Machine.wall()))
            .toList();
    ServiceReports both = new ServiceReports(services, watches, null, null);
    new ServiceMetrics(services, both, null).bindTo(registry);
    Instant now = Instant.now();
    watches.forEach(it -> it.sample(now.minusSeconds(60)));
    watches.getFirst().sample(now);
    assertThat(watched("age.seconds")).isGreaterThanOrEqualTo(60);
    watches.getLast().sample(now);
    assertThat(watched("age.seconds")).isLessThan(30);
  }

  @Test
  void timeEachStatementOnceItIsPerformed() {
    AtomicReference<StatementCounts> counters = new AtomicReference<>(StatementCounts.NONE);
    ServiceReadings readings =
        bindOnly(but(Map.of("usesDatabase", () -> true, "statementTimes", counters::get)));
    assertThat(registry.find("forebay.statement").meters()).isEmpty();
    counters.set(
        new StatementCounts(
            5_000_000_000L,
            List.of(
                new StatementCounts.Statement("items.add", 3, 2_000_000_000),
                new StatementCounts.Statement(null, 1, 500_000_000))));
    readings.read(Instant.EPOCH);
    assertThat(value("transaction")).isEqualTo(5);
    assertThat(timer("items.add").count()).isEqualTo(3);
    assertThat(timer("items.add").totalTime(TimeUnit.SECONDS)).isEqualTo(2);
    assertThat(timer("").totalTime(TimeUnit.SECONDS)).isEqualTo(0.5);
  }

  private FunctionTimer timer(String statement) {
    return registry.get("forebay.statement").tag("statement", statement).functionTimer();
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
    assertThat(value("behind.seconds")).as("before the first sample").isNaN();
    sample(Instant.now().plusSeconds(7));
    assertThat(value("behind.seconds")).isGreaterThanOrEqualTo(7);
    assertThat(watched("limit.seconds")).isEqualTo(300);
    assertThat(watched("late.seconds")).as("it is paused").isNaN();
    assertThat(value("state", "state", "paused")).isEqualTo(1);
    assertThat(value("accepting")).isEqualTo(1);
    service.resume();
    await().until(() -> value("performed") == 3);
    assertThat(value("accepted")).isEqualTo(3);
    assertThat(value("dead.letters")).isEqualTo(1);
    assertThat(value("behind.messages")).isZero();
    sample(Instant.now().plusSeconds(8));
    assertThat(value("behind.seconds")).isZero();
    assertThat(watched("late.seconds")).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(watched("age.seconds")).isZero();
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
