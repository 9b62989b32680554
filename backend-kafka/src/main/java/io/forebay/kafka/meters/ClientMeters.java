/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka.meters;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.JmxReporter;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of the open Kafka clients of an application as meters of its registry. Their names
 * are those of Micrometer's {@code KafkaClientMetrics}, which must be closed with the client, polls
 * it with a thread of its own, and adds meters for each node, topic and partition; here each client
 * has a fixed number of meters. Thread-safe.
 */
public final class ClientMeters implements MeterBinder {

  /** The property of a client by which its {@link Client} finds this. */
  private static final String METERS = "forebay.meters";

  private static final String REPORTERS = CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG;
  private static final String CLIENT_ID = "client-id";

  /** By the tags of their meters, because several clients may have the same client id. */
  private final Map<String, Client> open = new HashMap<>();

  private @Nullable MeterRegistry registry;

  /** The properties of a client that has meters. */
  public Map<String, Object> addTo(Map<String, ?> client) {
    Map<String, Object> all = new HashMap<>(client);
    all.put(METERS, this);
    all.putIfAbsent(REPORTERS, JmxReporter.class.getName());
    all.merge(REPORTERS, Client.class.getName(), (others, ours) -> others + "," + ours);
    return all;
  }

  /** Clients may be open already. There is one registry: a composite one if there are several. */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    if (this.registry == null) {
      this.registry = registry;
      open.values().forEach(client -> client.metrics.values().forEach(client::register));
    }
  }

  /** Reports the metrics of one client. Kafka creates it, by {@code metric.reporters}. */
  public static final class Client implements MetricsReporter {

    private final Map<MetricName, KafkaMetric> metrics = new HashMap<>();
    private final Map<MetricName, Meter> meters = new HashMap<>();
    private ClientMeters all = new ClientMeters();
    private String tag = "";

    @Override
    public void configure(Map<String, ?> properties) {
      if (properties.get(METERS) instanceof ClientMeters found) {
        all = found;
      }
      synchronized (all) {
        String client = String.valueOf(properties.get("client.id"));
        tag = client;
        for (int number = 2; all.open.putIfAbsent(tag, this) != null; number++) {
          tag = client + "-" + number;
        }
      }
    }

    @Override
    public void init(List<KafkaMetric> metrics) {
      metrics.forEach(this::metricChange);
    }

    @Override
    public void metricChange(KafkaMetric metric) {
      MetricName name = metric.metricName();
      if (name.tags().keySet().equals(Set.of(CLIENT_ID))
          && name.group().endsWith("-metrics")
          && metric.isMeasurable()) {
        synchronized (all) {
          metrics.put(name, metric);
          register(metric);
        }
      }
    }

    private void register(KafkaMetric metric) {
      MeterRegistry registry = all.registry;
      if (registry != null) {
        meters.computeIfAbsent(metric.metricName(), _ -> meter(metric, registry));
      }
    }

    private Meter meter(KafkaMetric metric, MeterRegistry registry) {
      MetricName kafka = metric.metricName();
      String group = kafka.group().replace("-metrics", "");
      String name = "kafka.%s.%s".formatted(group, kafka.name()).replace('-', '.');
      return kafka.name().endsWith("-total")
          ? FunctionCounter.builder(name, metric, Client::value)
              .description(kafka.description())
              .tag("client.id", tag)
              .register(registry)
          : Gauge.builder(name, metric, Client::value)
              .description(kafka.description())
              .tag("client.id", tag)
              .register(registry);
    }

    private static double value(KafkaMetric metric) {
      return ((Number) metric.metricValue()).doubleValue();
    }

    @Override
    public void metricRemoval(KafkaMetric metric) {
      synchronized (all) {
        metrics.remove(metric.metricName());
        remove(meters.remove(metric.metricName()));
      }
    }

    private void remove(@Nullable Meter meter) {
      if (meter != null && all.registry != null) {
        all.registry.remove(meter);
      }
    }

    @Override
    public void close() {
      synchronized (all) {
        meters.values().forEach(this::remove);
        meters.clear();
        all.open.remove(tag);
      }
    }
  }
}
