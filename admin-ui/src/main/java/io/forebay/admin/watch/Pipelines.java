/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Figure;
import io.forebay.capacity.LatencyHistory;
import io.forebay.report.ServiceWatch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The chains of services in which each one performs the answers of the one before. A service has at
 * most one next stage and one before, so no chain forks. Not thread-safe.
 */
final class Pipelines {

  /** The percentiles are over this time, and are computed every so many seconds. */
  private static final Duration OVER = Duration.ofMinutes(10);

  private static final int SECONDS = 10;
  private static final int P50 = 500_000;
  private static final int P99 = 990_000;

  private final List<List<ServiceWatch>> chains = new ArrayList<>();
  private List<Pipeline> pipelines = List.of();
  private @Nullable Instant computed;

  /**
   * @param stages in their order; the first one is called
   * @param answers the queue with the answers of the last stage
   */
  record Pipeline(List<Stage> stages, String answers) {}

  /**
   * @param queue its in-queue
   * @param waits how long messages wait in that queue until they are performed
   * @param performs how long it takes to perform a message or, in a gateway, its batch
   */
  record Stage(String service, String queue, Times waits, Times performs) {}

  /** Percentiles over the last ten minutes. */
  record Times(Figure<Duration> p50, Figure<Duration> p99) {}

  Pipelines(Collection<ServiceWatch> watches) {
    Map<String, ServiceWatch> next = new HashMap<>();
    for (ServiceWatch watch : watches) {
      watch.stageBefore().ifPresent(before -> next.put(before, watch));
    }
    for (ServiceWatch first : watches) {
      if (first.stageBefore().isEmpty() && next.containsKey(first.name())) {
        List<ServiceWatch> chain = new ArrayList<>();
        for (ServiceWatch stage = first; stage != null; stage = next.get(stage.name())) {
          chain.add(stage);
        }
        chains.add(chain);
      }
    }
  }

  /** In the order of the names of their first stages; the times are at most ten seconds old. */
  List<Pipeline> at(Instant now) {
    if (!chains.isEmpty()
        && (computed == null || Duration.between(computed, now).toSeconds() >= SECONDS)) {
      pipelines = chains.stream().map(chain -> pipeline(chain, now)).toList();
      computed = now;
    }
    return pipelines;
  }

  private static Pipeline pipeline(List<ServiceWatch> chain, Instant now) {
    return new Pipeline(
        chain.stream().map(stage -> stage(stage, now)).toList(),
        chain.getLast().queues().getLast());
  }

  private static Stage stage(ServiceWatch watch, Instant now) {
    return new Stage(
        watch.name(),
        watch.queues().getFirst(),
        times(watch.station(ServiceWatch.READ), now),
        times(watch.station(ServiceWatch.PERFORMING), now));
  }

  private static Times times(LatencyHistory past, Instant now) {
    Map<Integer, Figure<Duration>> values =
        past.percentiles(now.minus(OVER), now.plusSeconds(1)).values();
    return new Times(
        Objects.requireNonNull(values.get(P50)), Objects.requireNonNull(values.get(P99)));
  }
}
