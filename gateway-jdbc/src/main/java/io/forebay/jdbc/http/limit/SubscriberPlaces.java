/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits how many clients receive events at the same time, in all and of each caller. Thread-safe.
 */
public final class SubscriberPlaces {

  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Semaphore places;
  private final int limit;

  public SubscriberPlaces(int limit) {
    this.places = new Semaphore(limit);
    this.limit = limit;
  }

  /** A place for one client; released when closed. */
  public final class Place implements AutoCloseable {
    private final Caller.Place ofCaller;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Place(Caller.Place ofCaller) {
      this.ofCaller = ofCaller;
    }

    /** May be called again, by any thread. */
    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        places.release();
        ofCaller.close();
      }
    }
  }

  /**
   * Takes a place, which also counts towards the caller's limit.
   *
   * @throws HttpProblem if there is no place, or the caller has too many
   */
  public Place enter(Caller caller) {
    Caller.Place ofCaller = caller.enterSubscriber();
    if (!places.tryAcquire()) {
      ofCaller.close();
      throw new HttpProblem(
              ProblemType.TOO_MANY_SUBSCRIBERS,
              "Too many clients receive events (limit=%,d); retry later".formatted(limit))
          .retryAfter(RETRY);
    }
    return new Place(ofCaller);
  }
}
