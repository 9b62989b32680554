/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ServiceFigures;
import java.util.HashMap;
import java.util.Map;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/** The figures of a step's collector. */
final class StepFigures {

  private final CallCollector collector;

  StepFigures(CallCollector collector) {
    this.collector = collector;
  }

  /** Stores them in the step's execution context. */
  void update(ExecutionContext context) {
    Map<String, Map<String, Long>> all = new HashMap<>();
    for (ServiceFigures service : collector.figures().services()) {
      all.put(service.service(), counts(service));
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
    counts.put("room", service.chunks() * service.options().maxItems());
    service.chunksByReason().forEach((reason, chunks) -> counts.put("chunks." + reason, chunks));
    return counts;
  }
}
