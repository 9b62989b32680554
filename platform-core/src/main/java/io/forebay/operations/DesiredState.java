/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Objects;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * The state that an operator requested for a service; valid until the next request.
 *
 * @param paused whether the service is to be paused or to run
 * @param reason the reason that the operator gave; may be empty
 * @param by the operator, or {@code system} if the pause ended by itself
 * @param until when the pause ends, by the clock of whichever instance notices first; null if it
 *     has no end, and for a service that is to run
 * @param first the begin of the first pause, if this one replaced another; null if it replaced none
 */
public record DesiredState(
    String service,
    boolean paused,
    String reason,
    String by,
    Instant at,
    @Nullable Instant until,
    @Nullable Begin first) {

  /** When a pause began, who requested it, and why; the reason may be empty. */
  public record Begin(Instant at, String by, String reason) {}

  /** A pause without an end, or a service that is to run. */
  public DesiredState(String service, boolean paused, String reason, String by, Instant at) {
    this(service, paused, reason, by, at, null, null);
  }

  /** Since when the service is paused without a break, by whom and why; of a pause. */
  public Begin begun() {
    return first == null ? new Begin(at, by, reason) : first;
  }

  /** This pause as the one that replaces another state. */
  public DesiredState replacing(DesiredState before) {
    return before.paused() ? withFirst(before.begun()) : this;
  }

  /** The same pause with the begin of the first one that it replaced. */
  public DesiredState withFirst(@Nullable Begin begin) {
    return new DesiredState(service, paused, reason, by, at, until, begin);
  }

  /** The state of a service in the audit; of one that runs, nothing but that. */
  public static SequencedMap<String, String> fields(@Nullable DesiredState state) {
    SequencedMap<String, String> fields = new LinkedHashMap<>();
    fields.put("state", state != null && state.paused() ? "paused" : "running");
    if (state != null && state.paused()) {
      fields.put("reason", state.reason());
      fields.put("by", state.by());
      fields.put("until", state.until() == null ? "" : state.until().toString());
    }
    return fields;
  }

  /** Whether it is a pause whose end is reached. */
  boolean hasEndedAt(Instant now) {
    return paused && until != null && !until.isAfter(now);
  }

  /** Whether it is a pause that began at this time, to the millisecond. */
  boolean isPausedSince(@Nullable Instant time) {
    return paused
        && time != null
        && time.truncatedTo(ChronoUnit.MILLIS).equals(at.truncatedTo(ChronoUnit.MILLIS));
  }

  /** Whether the same operator requested the same for the same reason, with the same end. */
  boolean isRepeatedBy(DesiredState other) {
    return paused == other.paused
        && reason.equals(other.reason)
        && by.equals(other.by)
        && Objects.equals(until, other.until);
  }
}
