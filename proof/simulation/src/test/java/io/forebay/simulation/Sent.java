/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.jdbc.Receipt;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement of a history: what its senders know of it. */
final class Sent {

  /** Identifies it; its first argument. */
  final long number;

  final Kind kind;
  final List<Attempt> attempts = new ArrayList<>();

  /** The database returned to a state without its key, so it may be performed again. */
  boolean keyIsLost;

  Sent(long number, Kind kind) {
    this.number = number;
    this.kind = kind;
  }

  /** A call that sent it. */
  static final class Attempt {

    /** Where it was accepted, if the call returned. */
    @Nullable Receipt receipt;

    /** The backend of its queue. */
    final String backend;

    Attempt(String backend) {
      this.backend = backend;
    }

    /** The number of power failures before it was acknowledged; −1: it was not acknowledged. */
    int acknowledged = -1;

    /** The queue wrote nothing of it. */
    boolean refused;

    /** Where it is in the queue, for a person. */
    String place() {
      Receipt known = receipt;
      return known == null
          ? ""
          : " at position %d of partition %d".formatted(known.position(), known.partition());
    }

    /** The result that the sender received. */
    @Nullable String result;
  }

  Attempt attempt(String backend) {
    Attempt attempt = new Attempt(backend);
    attempts.add(attempt);
    return attempt;
  }

  boolean isAnswered() {
    return attempts.stream().anyMatch(it -> it.result != null);
  }

  @Override
  public String toString() {
    return "statement " + number + " (" + kind + ")";
  }
}
