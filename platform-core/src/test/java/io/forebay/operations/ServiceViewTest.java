/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.QueueRefused.Reason;
import io.forebay.queue.QueueStats;
import io.forebay.service.PartitionView;
import io.forebay.service.ServiceState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ServiceViewTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static QueueStats stats(@Nullable Reason refusal) {
    return new QueueStats(
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        Map.of(),
        refusal == null ? null : new QueueStats.Refusal(refusal, Double.NaN, NOW));
  }

  private static boolean accepts(
      ServiceState.Phase phase, @Nullable Reason in, @Nullable Reason out) {
    PartitionView partition =
        new PartitionView(
            0,
            null,
            OptionalLong.empty(),
            OptionalLong.empty(),
            null,
            null,
            null,
            stats(in),
            stats(out),
            null);
    return new ServiceView(
            "orders",
            new ServiceState(phase, "", NOW, null),
            List.of(partition),
            new ServiceCounts(0, 0, 0, 0, 0),
            null)
        .accepts();
  }

  @Test
  void aServiceThatWaitsForItsDatabaseAccepts() {
    assertThat(accepts(ServiceState.Phase.WAITING, null, null)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aServiceWhoseInQueueRefusesDoesNotAccept(Reason reason) {
    assertThat(accepts(ServiceState.Phase.RUNNING, reason, null)).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsAcceptedWhoseResultCouldNotBeRead(Reason reason) {
    boolean readable = reason != Reason.UNAVAILABLE && reason != Reason.FAILED;
    assertThat(accepts(ServiceState.Phase.WAITING, null, reason)).isEqualTo(readable);
  }

  @ParameterizedTest
  @EnumSource(names = {"FAILED", "DRAINING", "DRAINED"})
  void drainedAndFailedPartitionsDoNotAccept(ServiceState.Phase phase) {
    assertThat(accepts(phase, null, null)).isFalse();
  }
}
