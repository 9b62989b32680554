/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.operations.Door;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The limits of one caller, and what it uses of them at this instance. Thread-safe. */
public final class Caller {

  private final String name;
  private final CallerLimits limits;
  private final Callers all;
  private final Permits requests;
  private final AtomicLong tooManyRequests = new AtomicLong();
  private final AtomicLong tooFast = new AtomicLong();
  private final RecentCount sent;
  private final ByteBudget bodies;
  private final @Nullable TokenBucket configured;
  private volatile @Nullable TokenBucket bucket;
  private volatile @Nullable Instant lastRefused;

  /**
   * @param commanded the rate that an operator has set; null if there is none
   */
  Caller(String name, CallerLimits limits, @Nullable Integer commanded, Callers all) {
    this.name = name;
    this.limits = limits;
    this.all = all;
    requests =
        new Permits(
            Objects.requireNonNullElse(limits.maxRequests(), Integer.MAX_VALUE),
            ProblemType.TOO_MANY_REQUESTS,
            "This caller has too many requests at the same time (limit=%,d); nothing was done; retry later",
            Duration.ZERO,
            () -> refused(Limit.MAX_REQUESTS, tooManyRequests));
    sent = new RecentCount(all.nanoClock());
    bodies = all.bodies();
    Integer rate = limits.rate();
    configured =
        rate == null ? null : bucket(rate, Objects.requireNonNullElse(limits.burst(), rate));
    bucket = configured;
    command(commanded);
  }

  private TokenBucket bucket(int rate, int burst) {
    return new TokenBucket(rate, burst, all.nanoClock());
  }

  /**
   * Sets the rate by command of an operator.
   *
   * @param rate statements per second, of which as many may come at once; null for the configured
   *     rate
   */
  final void command(@Nullable Integer rate) {
    bucket = rate == null ? configured : bucket(rate, rate);
  }

  /** Statements that the rate admits. For one thread. */
  public final class Admission implements AutoCloseable {

    private final int statements;
    private final @Nullable TokenBucket from;
    private int unsent;

    private Admission(int statements, @Nullable TokenBucket from) {
      this.statements = statements;
      this.from = from;
      unsent = statements;
    }

    /** How many statements are admitted. */
    public int statements() {
      return statements;
    }

    /** Statements were appended to the queue; the others do not count towards the rate. */
    public void sent(int count) {
      unsent -= count;
      sent.add(count);
    }

    @Override
    public void close() {
      if (from != null && unsent > 0) {
        from.giveBack(unsent);
      }
      unsent = 0;
    }
  }

  /**
   * Takes a permit for a request or a stream.
   *
   * @throws Problem if the caller has too many of them at the same time
   */
  public Permits.Permit enter() {
    return requests.take();
  }

  public String name() {
    return name;
  }

  /** The memory for the bodies of its requests. */
  public ByteBudget bodies() {
    return bodies;
  }

  /**
   * Admits statements that are sent together.
   *
   * @throws Problem if the rate does not admit them now
   */
  public Admission admit(int statements) {
    TokenBucket bucket = this.bucket;
    if (bucket != null && !bucket.tryTake(statements)) {
      throw tooFast(bucket, statements);
    }
    return new Admission(statements, bucket);
  }

  /** As many of these lines of a stream as the rate admits now; none if it is better to wait. */
  public Admission admitSome(int lines) {
    TokenBucket bucket = this.bucket;
    return new Admission(bucket == null ? lines : bucket.takeSome(lines), bucket);
  }

  private Problem tooFast(TokenBucket empty, int statements) {
    refused(Limit.RATE, tooFast);
    int available = empty.available();
    // A token may have come since the refusal; a client takes an answer without a time as final.
    long millis = Math.max(1, Math.ceilDiv(empty.nanosUntil(statements), 1_000_000));
    return new Problem(
            ProblemType.RATE_LIMIT_EXCEEDED,
            "This caller sends statements too fast (%,d of a burst of %,d are left, limit=%,d per second); nothing was accepted; retry later"
                .formatted(available, empty.burst(), empty.rate()))
        .with("limit", empty.rate())
        .with("burst", empty.burst())
        .with("available", available)
        .retryAfter(Duration.ofMillis(millis));
  }

  private void refused(Limit limit, AtomicLong count) {
    all.refused(limit);
    count.incrementAndGet();
    lastRefused = Instant.now();
  }

  /** Its limits, as operators see them. */
  Door.Caller view() {
    List<Door.Limit> list = new ArrayList<>();
    TokenBucket bucket = this.bucket;
    if (bucket != null) {
      list.add(new Door.Limit(Limit.RATE.word(), bucket.rate(), null, tooFast.get()));
      long taken = bucket.burst() - bucket.available();
      list.add(new Door.Limit("burst", bucket.burst(), taken, 0));
    }
    if (limits.maxRequests() != null) {
      list.add(
          new Door.Limit(
              Limit.MAX_REQUESTS.word(),
              limits.maxRequests(),
              (long) requests.taken(),
              tooManyRequests.get()));
    }
    return new Door.Caller(name, list, lastRefused);
  }

  boolean isLimited() {
    return !limits.isNone() || bucket != null;
  }

  /** How many statements of it were accepted in the last minute. */
  long sentInLastMinute() {
    return sent.sum();
  }

  /** Whether a new object would have the same state, except for what was sent lately. */
  boolean isIdle() {
    TokenBucket bucket = this.bucket;
    return requests.taken() == 0
        && (bucket == null || bucket.nanosUntil(bucket.burst()) <= 0)
        && (lastRefused == null || !isLimited()); // operators see how often it was refused
  }
}
