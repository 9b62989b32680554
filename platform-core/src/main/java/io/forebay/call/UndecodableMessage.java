/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.value.DecodeFailure;
import io.forebay.call.value.UndecodableReason;
import io.forebay.trace.TraceParent;
import org.jspecify.annotations.Nullable;

/**
 * A message that is undamaged but cannot be decoded by its reader. Nothing of it was performed.
 * Reading it again fails again; it belongs to the dead letters.
 */
public final class UndecodableMessage extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final UndecodableReason reason;
  private final int partition;
  private final long position;
  private final transient @Nullable Message envelope;

  UndecodableMessage(
      DecodeFailure failure,
      String queue,
      int partition,
      long position,
      @Nullable String method,
      @Nullable Message envelope) {
    super(
        "the message at position %,d in partition %d of queue %s cannot be decoded (%s%s): %s%s; nothing of it was performed"
            .formatted(
                position,
                partition,
                queue,
                failure.reason,
                TraceParent.note(envelope == null ? null : envelope.trace()),
                method == null ? "" : method + ", ",
                failure.text()),
        failure.getCause());
    this.reason = failure.reason;
    this.partition = partition;
    this.position = position;
    this.envelope = envelope;
  }

  public UndecodableReason reason() {
    return reason;
  }

  public int partition() {
    return partition;
  }

  public long position() {
    return position;
  }

  /** The message's envelope, or null if that could not be decoded either. */
  public @Nullable Message envelope() {
    return envelope;
  }
}
