/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.machine.Machine;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.ServiceReadings;
import io.forebay.operations.ServiceView;
import io.forebay.operations.Services;
import io.forebay.operations.StatementCounts;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.Storage;
import io.forebay.report.ServiceReport;
import io.forebay.report.ServiceReports;
import io.forebay.service.Latency;
import io.forebay.service.PartitionView;
import io.forebay.service.ServiceState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of all services, and of the rings that their queues write through; see {@code
 * docs/admin.md}. Counters are from the {@link ServiceReadings}, other figures from the report of
 * the last second, which the page shows, too: unknown is NaN, "never" is infinite.
 */
final class ServiceMetrics implements MeterBinder {

  private static final double[] PERCENTILES = {50, 99, 99.9, 100};
  private static final String SECONDS = "seconds";
  private static final String MESSAGES = "messages";
  private static final String BYTES = "bytes";

  private final Services services;
  private final ServiceReports reports;
  private final @Nullable QueueBackend queues;

  ServiceMetrics(Services services, ServiceReports reports, @Nullable QueueBackend queues) {
    this.services = services;
    this.reports = reports;
    this.queues = queues;
  }

  /** Meters of one name space with the same tags. */
  private record Meters(MeterRegistry registry, String prefix, Tags tags) {

    Meters with(String key, String value) {
      return new Meters(registry, prefix, tags.and(key, value));
    }

    void gauge(String name, @Nullable String unit, DoubleSupplier value) {
      Gauge.builder(prefix + name, value::getAsDouble).baseUnit(unit).tags(tags).register(registry);
    }

    <T> void counter(String name, String unit, T counted, ToDoubleFunction<T> value) {
      FunctionCounter.builder(prefix + name, counted, value)
          .baseUnit(unit)
          .tags(tags)
          .register(registry);
    }
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    services.all().forEach(it -> service(registry, it));
    new Meters(registry, "forebay.watch.", Tags.empty()).gauge("age.seconds", SECONDS, this::age);
    QueueBackend backend = queues;
    if (backend != null) {
      backend.storage().stream()
          .flatMap(it -> it.queues().stream())
          .filter(it -> it.ring() != null)
          .forEach(it -> ring(registry, backend, it.queue()));
    }
  }

  private void service(MeterRegistry registry, ServiceOperations service) {
    ServiceReadings readings = services.readings(service.name());
    Meters meters = new Meters(registry, "forebay.service.", Tags.of("service", service.name()));
    for (ServiceState.Phase phase : ServiceState.Phase.values()) {
      meters
          .with("state", phase.name().toLowerCase(Locale.ROOT))
          .gauge("state", null, () -> view(readings).state().phase() == phase ? 1 : 0);
    }
    meters.gauge("accepting", null, () -> view(readings).accepts() ? 1 : 0);
    meters.gauge(
        "behind.seconds",
        SECONDS,
        of(service.name(), it -> Figure.number(it.lag().behind().map(Lag::seconds))));
    meters.gauge(
        "stalled.seconds",
        SECONDS,
        () -> view(readings).stall().map(ServiceMetrics::stalledSeconds).orElse(0.0));
    meters.gauge("unreceived", MESSAGES, () -> number(service.unreceived()));
    meters.gauge(
        "loss.seconds",
        SECONDS,
        () ->
            service.keepsUnperformed()
                ? Double.POSITIVE_INFINITY
                : of(service.name(), it -> Until.seconds(it.loss())).getAsDouble());
    meters.counter("accepted", MESSAGES, readings, ServiceReadings::accepted);
    meters.counter("performed", MESSAGES, readings, it -> view(it).counts().performed());
    meters.counter("failed", MESSAGES, readings, it -> view(it).counts().failed());
    meters.counter("dead.letters", MESSAGES, readings, it -> view(it).counts().deadLetters());
    meters.counter("declined", MESSAGES, readings, it -> view(it).counts().declined());
    meters.counter("refused", MESSAGES, readings, it -> view(it).counts().refused());
    meters.counter("skipped", MESSAGES, service, ServiceOperations::skipped);
    latency(meters.with("station", "read"), readings, Latency.Snapshot::read);
    latency(meters.with("station", "performing"), readings, Latency.Snapshot::performing);
    latency(meters.with("station", "performed"), readings, Latency.Snapshot::performed);
    latency(meters.with("station", "answered"), readings, Latency.Snapshot::answered);
    for (PartitionView it : view(readings).partitions()) {
      int number = it.partition();
      partition(
          meters.with("partition", Integer.toString(number)),
          () -> view(readings).partitions().get(number));
    }
    if (service.usesDatabase()) {
      statements(meters, service.name(), readings);
    }
    watch(new Meters(registry, "forebay.watch.", meters.tags()), service.name());
  }

  private void watch(Meters meters, String name) {
    meters.gauge("limit.seconds", SECONDS, of(name, it -> Lag.seconds(it.limit())));
    meters.gauge("late.seconds", SECONDS, of(name, it -> late(it.lag())));
    meters.gauge("loss.share", null, of(name, it -> Figure.number(it.lossShare())));
    meters.gauge("busy.share", null, of(name, it -> Figure.number(it.busy())));
    meters.gauge("database.rate", null, of(name, it -> Figure.number(it.can())));
    meters.gauge("burst.share", null, of(name, it -> burst(it.burstShare())));
  }

  private DoubleSupplier of(String service, ToDoubleFunction<ServiceReport> figure) {
    return () -> reports.latest(service).map(figure::applyAsDouble).orElse(Double.NaN);
  }

  /** NaN for a paused service: the alert of kind paused watches it. */
  private static double late(Lag lag) {
    return lag.state() == Lag.State.PAUSED ? Double.NaN : Until.seconds(lag.late());
  }

  private static double burst(Figure<Double> share) {
    double known = Figure.number(share);
    return known == Double.MAX_VALUE ? Double.POSITIVE_INFINITY : known;
  }

  /** Of the service whose figures are oldest. */
  private double age() {
    return reports.watches().stream()
        .flatMap(it -> it.past().at().stream())
        .min(Instant::compareTo)
        .map(it -> Math.max(0, Lag.seconds(Duration.between(it, Machine.now()))))
        .orElse(Double.NaN);
  }

  /** Adds a timer for each statement when it is performed for the first time. */
  private static void statements(Meters meters, String service, ServiceReadings readings) {
    meters.counter(
        "transaction", SECONDS, readings, it -> it.latest().statements().transactionNanos() / 1e9);
    Set<@Nullable String> timed = new HashSet<>();
    readings.listen(it ->
        it.statements().statements().stream()
            .map(StatementCounts.Statement::name)
            .filter(timed::add)
            .forEach(name -> statement(meters.registry(), service, name, readings)));
  }

  private static ServiceView view(ServiceReadings readings) {
    return readings.latest().view();
  }

  private static void latency(
      Meters meters, ServiceReadings readings, Function<Latency.Snapshot, Histogram> station) {
    for (double percentile : PERCENTILES) {
      meters
          .with("percentile", Double.toString(percentile))
          .gauge(
              "latency",
              SECONDS,
              () -> {
                Histogram histogram = station.apply(readings.latency());
                return histogram.getTotalCount() == 0
                    ? Double.NaN
                    : histogram.getValueAtPercentile(percentile) / 1e9;
              });
    }
  }

  private static void partition(Meters meters, Supplier<PartitionView> view) {
    meters.gauge("behind.messages", MESSAGES, () -> number(view.get().behind()));
    meters.with("queue", "in").gauge("queue.bytes", BYTES, () -> number(view.get().in().bytes()));
    meters.with("queue", "out").gauge("queue.bytes", BYTES, () -> number(view.get().out().bytes()));
  }

  private static void statement(
      MeterRegistry registry, String service, @Nullable String name, ServiceReadings readings) {
    FunctionTimer.builder(
            "forebay.statement",
            readings,
            it -> it.latest().statements().of(name).count(),
            it -> it.latest().statements().of(name).nanos(),
            TimeUnit.NANOSECONDS)
        .tags("service", service, "statement", Objects.requireNonNullElse(name, ""))
        .register(registry);
  }

  private static void ring(MeterRegistry registry, QueueBackend queues, String queue) {
    Meters meters = new Meters(registry, "forebay.ring.", Tags.of("queue", queue));
    Supplier<Optional<Storage.Ring>> ring =
        () ->
            queues.storage().stream()
                .flatMap(it -> it.queues().stream())
                .filter(it -> it.queue().equals(queue))
                .flatMap(it -> Stream.ofNullable(it.ring()))
                .findFirst();
    meters.gauge("capacity.bytes", BYTES, () -> number(ring, Storage.Ring::capacityBytes));
    meters.gauge("used.bytes", BYTES, () -> number(ring, Storage.Ring::usedBytes));
    meters.gauge("high.water.bytes", BYTES, () -> number(ring, Storage.Ring::highWaterBytes));
    meters.gauge("lag.seconds", SECONDS, () -> number(ring, it -> Lag.seconds(it.lag())));
  }

  private static double stalledSeconds(QueueOutage stall) {
    return Math.max(0, Lag.seconds(Duration.between(stall.since(), Instant.now())));
  }

  private static double number(
      Supplier<Optional<Storage.Ring>> ring, ToDoubleFunction<Storage.Ring> figure) {
    return ring.get().map(figure::applyAsDouble).orElse(Double.NaN);
  }

  private static double number(OptionalLong figure) {
    return figure.isPresent() ? figure.getAsLong() : Double.NaN;
  }
}
