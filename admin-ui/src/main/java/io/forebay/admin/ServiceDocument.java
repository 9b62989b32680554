/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.BlockingMessage;
import io.forebay.operations.DesiredState;
import io.forebay.operations.PartitionView;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceView;
import io.forebay.queue.QueueStats;
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
    String state,
    String reason,
    Instant since,
    boolean accepts,
    @Nullable Long behind,
    @Nullable Instant oldest,
    @Nullable ServiceError lastError,
    @Nullable Desired desired,
    ServiceCounts counts,
    List<Partition> partitions) {

  public record Desired(boolean paused, String reason, String by, Instant at) {}

  public record Partition(
      int partition,
      @Nullable String state,
      @Nullable String reason,
      @Nullable Instant since,
      @Nullable Long position,
      @Nullable Long end,
      @Nullable Long behind,
      @Nullable Instant oldest,
      @Nullable ServiceError lastError,
      @Nullable Refusal refusal,
      @Nullable Stalled stalled,
      @Nullable BlockingMessage waitsFor,
      Queue in,
      Queue out) {}

  /**
   * @param fill from 0 to 1; null if fill is not the reason
   */
  public record Refusal(String reason, @Nullable Double fill, Instant since) {}

  /** Why it is stalled although nothing failed. */
  public record Stalled(String reason, Instant since) {}

  public record Queue(
      @Nullable Long first,
      @Nullable Long end,
      @Nullable Long bytes,
      @Nullable Long acknowledged,
      QueueStats.@Nullable Damage damage) {}

  public static ServiceDocument of(ServiceView view, @Nullable DesiredState desired) {
    return new ServiceDocument(
        view.name(),
        text(view.state().phase()),
        view.state().reason(),
        view.state().since(),
        view.accepts(),
        number(view.behind()),
        view.oldest(),
        view.lastError(),
        desired == null
            ? null
            : new Desired(desired.paused(), desired.reason(), desired.by(), desired.at()),
        view.counts(),
        view.partitions().stream().map(ServiceDocument::partition).toList());
  }

  private static Partition partition(PartitionView view) {
    ServiceState state = view.state();
    return new Partition(
        view.partition(),
        state == null ? null : text(state.phase()),
        state == null ? null : state.reason(),
        state == null ? null : state.since(),
        number(view.position()),
        number(view.end()),
        number(view.behind()),
        view.oldest(),
        view.lastError(),
        refusal(view.in().refusal()),
        view.stall().map(it -> new Stalled(it.text(), it.since())).orElse(null),
        view.waitsFor(),
        queue(view.in()),
        queue(view.out()));
  }

  private static @Nullable Refusal refusal(QueueStats.@Nullable Refusal refusal) {
    return refusal == null
        ? null
        : new Refusal(
            text(refusal.reason()),
            Double.isNaN(refusal.fill()) ? null : refusal.fill(),
            refusal.since());
  }

  private static Queue queue(QueueStats stats) {
    return new Queue(
        number(stats.first()),
        number(stats.end()),
        number(stats.bytes()),
        number(stats.acknowledged()),
        stats.damage());
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable Long number(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }
}
