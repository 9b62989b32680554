/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.context.SmartLifecycle;

/** How long requests wait for their results, and how many do. Thread-safe. */
final class Waiting implements SmartLifecycle {

  private static final Pattern WAIT = Pattern.compile("([0-9]{1,9})(ms|s)?");
  private static final Duration LOOK = Duration.ofMillis(200);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Duration longest;
  private final int limit;
  private final Semaphore places;
  private volatile boolean running;

  Waiting(Duration longest, int limit) {
    this.longest = longest;
    this.limit = limit;
    this.places = new Semaphore(limit);
  }

  /** A place among those who wait; given up when it is closed. */
  final class Place implements AutoCloseable {

    private final Duration time;

    private Place(Duration time) {
      this.time = time;
    }

    Duration time() {
      return time;
    }

    /** Whether the service is to stop, so that nobody waits any more. */
    boolean isOver() {
      return !running;
    }

    /**
     * Waits for a result for as long as was asked for, or until the service is to stop.
     *
     * @throws TimeoutException if it did not come
     */
    <T> T await(Future<T> result)
        throws TimeoutException, InterruptedException, ExecutionException {
      long until = System.nanoTime() + time.toNanos();
      while (true) {
        long left = until - System.nanoTime();
        try {
          return result.get(Math.min(left, LOOK.toNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          if (!running || left <= LOOK.toNanos()) {
            throw e;
          }
        }
      }
    }

    @Override
    public void close() {
      if (time.isPositive()) {
        places.release();
      }
    }
  }

  /**
   * Takes a place for as long as the request asks for with {@code ?wait=}.
   *
   * @throws Problem if it asks for too long, or too many wait
   */
  Place enter(HttpServletRequest request) {
    Duration time = time(request);
    if (time.isPositive() && !places.tryAcquire()) {
      throw new Problem(
              ProblemType.TOO_MANY_WAITING,
              "%,d requests wait for results; nothing was accepted; ask without wait, or later"
                  .formatted(limit))
          .retryAfter(RETRY);
    }
    return new Place(time);
  }

  @Override
  public void start() {
    running = true;
  }

  /** Nobody is to keep the process from stopping by waiting. */
  @Override
  public void stop() {
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Stopped before the web server, which lets requests end. */
  @Override
  public int getPhase() {
    return SmartLifecycle.DEFAULT_PHASE;
  }

  private Duration time(HttpServletRequest request) {
    String text = Query.parameter(request, "wait");
    if (text == null) {
      return Duration.ZERO;
    }
    Matcher matcher = WAIT.matcher(text);
    if (!matcher.matches()) {
      throw new Problem(
          ProblemType.INVALID_REQUEST, "wait must be a time such as 5s or 500ms; nothing was done");
    }
    long number = Long.parseLong(matcher.group(1));
    Duration time =
        "ms".equals(matcher.group(2)) ? Duration.ofMillis(number) : Duration.ofSeconds(number);
    if (time.compareTo(longest) > 0) {
      throw new Problem(
              ProblemType.INVALID_REQUEST, "wait is longer than is allowed; nothing was done")
          .with("longestMillis", longest.toMillis());
    }
    return time;
  }
}
