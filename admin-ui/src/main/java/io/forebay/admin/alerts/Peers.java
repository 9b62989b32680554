/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.admin.verdict.Problem.Acknowledgement;
import io.forebay.capacity.Alert.Severity;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the other instances say about alerts that several instances may see. */
@FunctionalInterface
public interface Peers {

  /** The instances that were seen within the last seconds, without this one. */
  List<Peer> peers(Instant now);

  /**
   * Another instance.
   *
   * @param alerts its open alerts, and those that it has closed within the last minute
   */
  record Peer(String name, List<Shared> alerts) {}

  /**
   * An alert of an instance, by the clock of that instance.
   *
   * @param reported the severity that was reported to the webhook; null if none was
   * @param closedReported whether the closing was reported
   */
  record Shared(
      String id,
      Instant opened,
      @Nullable Instant closed,
      @Nullable Severity reported,
      boolean closedReported,
      @Nullable Acknowledgement acknowledged) {}
}
