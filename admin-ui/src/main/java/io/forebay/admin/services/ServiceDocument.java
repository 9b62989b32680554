/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.services;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.operations.DesiredState;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceView;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueStats;
import io.forebay.service.PartitionView;
import io.forebay.service.ServiceError;
import io.forebay.service.ServiceState;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A service as JSON. Unknown values are null.
 *
 * @param behind an upper bound of the messages that wait
 * @param oldest when the oldest of them was appended
 * @param desired the state that an operator requested; null if there was no request
 */
public record ServiceDocument(
    String name,
    @JsonUnwrapped State state,
    boolean accepts,
    OptionalLong behind,
    @Nullable Instant oldest,
    @Nullable ServiceError lastError,
    @JsonIgnoreProperties("service") @Nullable DesiredState desired,
    ServiceCounts counts,
    List<Partition> partitions) {

  /** Null in all components if the partition is not assigned to this instance. */
  record State(@Nullable String state, @Nullable String reason, @Nullable Instant since) {

    static State of(@Nullable ServiceState state) {
      return state == null
          ? new State(null, null, null)
          : new State(text(state.phase()), state.reason(), state.since());
    }
  }

  public record Partition(
      @JsonUnwrapped @JsonIgnoreProperties({"state", "ownerless", "in", "out"}) PartitionView view,
      @JsonUnwrapped State state,
      OptionalLong behind,
      @Nullable Refusal refusal,
      @Nullable Stalled stalled,
      @JsonIgnoreProperties({"passed", "refusal", "hold"}) QueueStats in,
      @JsonIgnoreProperties({"passed", "refusal", "hold"}) QueueStats out) {

    static Partition of(PartitionView view) {
      return new Partition(
          view,
          State.of(view.state()),
          view.behind(),
          Refusal.of(view.in().refusal()),
          view.stall().map(Stalled::of).orElse(null),
          view.in(),
          view.out());
    }
  }

  /**
   * @param fill from 0 to 1; null if fill is not the reason
   */
  record Refusal(String reason, @Nullable Double fill, Instant since) {

    static @Nullable Refusal of(QueueStats.@Nullable Refusal refusal) {
      return refusal == null
          ? null
          : new Refusal(
              text(refusal.reason()),
              Double.isNaN(refusal.fill()) ? null : refusal.fill(),
              refusal.since());
    }
  }

  /** Why it is stalled although nothing failed. */
  record Stalled(String reason, Instant since) {

    static Stalled of(QueueOutage stall) {
      return new Stalled(stall.text(), stall.since());
    }
  }

  public static ServiceDocument of(ServiceView view, @Nullable DesiredState desired) {
    return new ServiceDocument(
        view.name(),
        State.of(view.state()),
        view.accepts(),
        view.behind(),
        view.oldest(),
        view.lastError(),
        desired,
        view.counts(),
        view.partitions().stream().map(Partition::of).toList());
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
