/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Bounds the bytes that large bodies of requests take in memory at once. Thread-safe. */
final class BodyBudget {

  private static final Duration RETRY = Duration.ofSeconds(1);

  private final long limit;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param limit in bytes
   */
  BodyBudget(long limit) {
    this.limit = limit;
  }

  /**
   * @throws Problem if there are not so many left; then none are taken
   */
  void take(int bytes) {
    if (taken.addAndGet(bytes) > limit) {
      taken.addAndGet(-bytes);
      throw new Problem(
              ProblemType.TOO_MANY_BYTES,
              "Bodies of other requests take the memory there is for them; nothing was accepted;"
                  + " try again later")
          .with("limitBytes", limit)
          .retryAfter(RETRY);
    }
  }

  void giveBack(int bytes) {
    if (bytes > 0) {
      taken.addAndGet(-bytes);
    }
  }
}
