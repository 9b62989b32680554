/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A call of a history: what its sender knows of it. */
final class SentCall {

  /** Identifies it; its argument. */
  final long number;

  final CallKind kind;

  /** The id of its message; null if the queue did not take it. */
  @Nullable UUID id;

  boolean acknowledged;

  /** The queue wrote nothing of it. */
  boolean refused;

  /** The result that the sender received. */
  @Nullable Long result;

  SentCall(long number, CallKind kind) {
    this.number = number;
    this.kind = kind;
  }

  @Override
  public String toString() {
    return "call " + number + " " + kind;
  }
}
