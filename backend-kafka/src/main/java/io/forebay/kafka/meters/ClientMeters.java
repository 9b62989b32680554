/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka.meters;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Metrics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;

/**
 * The metrics of a Kafka client as meters of Micrometer's global registry, until the client is
 * closed. Their names are those of Micrometer's {@code KafkaClientMetrics}, which must be closed
 * with the client, polls it with a thread of its own, and adds meters for each node, topic and
 * partition; here each client has a fixed number of meters. Kafka creates one per client, by {@code
 * metric.reporters}. Thread-safe.
 */
public final class ClientMeters implements MetricsReporter {

  private static final String CLIENT = "client-id";

  /** The tags of open clients, because several clients may have the same client id. */
  private static final Set<String> TAGS = ConcurrentHashMap.newKeySet();

  private final Map<MetricName, Meter> meters = new HashMap<>();
  private String tag = "";

  @Override
  public void configure(Map<String, ?> properties) {
    String client = String.valueOf(properties.get("client.id"));
    tag = client;
    for (int number = 2; !TAGS.add(tag); number++) {
      tag = client + "-" + number;
    }
  }

  @Override
  public void init(List<KafkaMetric> metrics) {
    metrics.forEach(this::metricChange);
  }

  @Override
  public synchronized void metricChange(KafkaMetric metric) {
    MetricName name = metric.metricName();
    if (name.tags().keySet().equals(Set.of(CLIENT))
        && name.group().endsWith("-metrics")
        && metric.isMeasurable()) {
      meters.computeIfAbsent(name, _ -> meter(metric));
    }
  }

  private Meter meter(KafkaMetric metric) {
    MetricName kafka = metric.metricName();
    String group = kafka.group().replace("-metrics", "");
    String name = "kafka.%s.%s".formatted(group, kafka.name()).replace('-', '.');
    return kafka.name().endsWith("-total")
        ? FunctionCounter.builder(name, metric, ClientMeters::value)
            .description(kafka.description())
            .tag("client.id", tag)
            .register(Metrics.globalRegistry)
        : Gauge.builder(name, metric, ClientMeters::value)
            .description(kafka.description())
            .tag("client.id", tag)
            .register(Metrics.globalRegistry);
  }

  private static double value(KafkaMetric metric) {
    return ((Number) metric.metricValue()).doubleValue();
  }

  @Override
  public synchronized void metricRemoval(KafkaMetric metric) {
    Meter meter = meters.remove(metric.metricName());
    if (meter != null) {
      Metrics.globalRegistry.remove(meter);
    }
  }

  @Override
  public synchronized void close() {
    meters.values().forEach(Metrics.globalRegistry::remove);
    meters.clear();
    TAGS.remove(tag);
  }
}
