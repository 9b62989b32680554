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

/** The figures of a step's collector, and the limits of its services. */
final class StepFigures {

  private final CallCollector collector;

  StepFigures(CallCollector collector) {
    this.collector = collector;
  }

  /** Stores them in the step's execution context. */
  void update(ExecutionContext context) {
    Map<String, Map<String, Long>> all = new HashMap<>();
    for (ServiceFigures service : collector.figures().services()) {
      Map<String, Long> figures = counts(service);
      figures.putAll(limits(service.options()));
      all.put(service.service(), figures);
    }
    context.put(JobProgress.CALLS, all);
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
