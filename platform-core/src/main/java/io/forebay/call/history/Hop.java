/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.history;

import java.time.Duration;
import java.time.Instant;

/**
 * What one service did for a message, see {@link io.forebay.call.Message#history()}. The times are
 * those of the clocks of the processes that wrote them, with microseconds; between processes whose
 * clocks differ a duration may be negative. Immutable.
 *
 * @param service its name
 * @param position the position of the message that it performed, in its in-queue
 * @param appended when that message was appended
 * @param received when the service read it; after a crash, when it read it again
 * @param performed when its component had performed it
 * @param answered when the answer was appended
 */
public record Hop(
    String service,
    long position,
    Instant appended,
    Instant received,
    Instant performed,
    Instant answered) {

  /** How long the message waited in the queue. */
  public Duration waiting() {
    return Duration.between(appended, received);
  }

  /** How long it took to perform it, with all tries. */
  public Duration performing() {
    return Duration.between(received, performed);
  }

  /** How long the finished answer took to be appended, for example because the queue was full. */
  public Duration answering() {
    return Duration.between(performed, answered);
  }
}
