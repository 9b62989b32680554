/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.admin.Parameters;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.Selection;
import io.forebay.web.Problem;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A command to all messages of a group.
 *
 * @param state the state of the messages; open if it is null
 * @param before the time at which the messages were counted
 * @param fingerprint what the count said of the messages
 * @param perSecond messages replayed per second; 5 if it is null
 * @param stopAfterFailures a replay stops after so many consecutive failures; 3 if it is null
 */
record GroupCommand(
    @Nullable String service,
    @Nullable String error,
    @Nullable String cause,
    @Nullable String state,
    @Nullable JsonNode before,
    @Nullable String fingerprint,
    @Nullable JsonNode reason,
    @Nullable Double perSecond,
    @Nullable Integer stopAfterFailures) {

  /**
   * @throws Problem if no group is named
   */
  static Selection select(
      Failures failures,
      @Nullable String service,
      @Nullable String error,
      @Nullable String cause,
      @Nullable String state,
      Instant before) {
    Failures.Filter filter =
        new Failures.Filter(
            Parameters.text("/service", service),
            Parameters.text("/error", error),
            Failures.Cause.of(Parameters.text("/cause", cause)),
            FailuresController.state(state));
    if (filter.service() == null || filter.error() == null) {
      throw Problem.invalid("The request must name service and error.");
    }
    return failures.select(filter, before);
  }

  /**
   * The messages of the group.
   *
   * @throws Problem if they are no longer those that were counted
   */
  Selection selection(Failures failures) {
    Instant counted =
        Objects.requireNonNullElse(Parameters.instant("/before", before), Instant.EPOCH);
    Selection selection = select(failures, service, error, cause, state, counted);
    if (!selection.fingerprint().equals(fingerprint)) {
      throw Problem.conflict(
          "The messages of the group have changed since they were counted; nothing was done; count them again, as the page does.");
    }
    return selection;
  }
}
