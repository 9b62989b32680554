/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ServiceFigures;
import java.util.HashMap;
import java.util.Map;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * The figures of a step's collector, stored in the step's execution context under {@code
 * forebay.chunk.<service>.<figure>}; a {@link RestartContext} removes those of earlier executions.
 * Beside them are the limits of the service.
 */
final class StepFigures {

  static final String PREFIX = "forebay.chunk.";

  private final CallCollector collector;

  StepFigures(CallCollector collector) {
    this.collector = collector;
  }

  void update(ExecutionContext context) {
    for (ServiceFigures service : collector.figures().services()) {
      String prefix = PREFIX + service.service() + ".";
      counts(service).forEach((name, count) -> context.putLong(prefix + name, count));
      limits(service.options()).forEach((name, limit) -> context.putLong(prefix + name, limit));
    }
  }

  private static Map<String, Long> counts(ServiceFigures service) {
    Map<String, Long> counts = new HashMap<>();
    counts.put("calls", service.calls());
    counts.put("sent", service.sent());
    counts.put("results", service.results());
    counts.put("failures", service.failures());
    counts.put("timedOut", service.timedOut());
    service.chunksByReason().forEach((reason, chunks) -> counts.put("chunks." + reason, chunks));
    return counts;
  }

  private static Map<String, Long> limits(ChunkOptions options) {
    return Map.of(
        "maxItems",
        (long) options.maxItems(),
        "maxBytes",
        options.maxBytes(),
        "maxInFlight",
        (long) options.maxInFlight(),
        "lingerMillis",
        options.linger().toMillis(),
        "timeoutMillis",
        options.timeout().toMillis());
  }
}
