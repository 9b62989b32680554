/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.operations.Door;
import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One caller and how much of its limits is used. Thread-safe. */
public final class Caller {

  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final long SHORTEST_PAUSE_MILLIS = 1;
  private static final long LONGEST_PAUSE_MILLIS = 50;

  private final CallerLimits limits;
  private final Callers all;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger streams = new AtomicInteger();
  private final AtomicInteger lookUps = new AtomicInteger();
  private final AtomicLongArray refused = new AtomicLongArray(Limit.values().length);
  private volatile @Nullable Instant lastRefused;
  private final @Nullable TokenBucket configured;
  private volatile @Nullable TokenBucket bucket;
  private final @Nullable WaitingStatements waiting;
  private final RecentCount sent;

  /**
   * @param commanded the rate that an operator has set; null if there is none
   */
  Caller(CallerLimits limits, @Nullable Integer commanded, Callers all) {
    this.limits = limits;
    this.all = all;
    sent = new RecentCount(all.nanoClock());
    Integer rate = limits.rate();
    configured =
        rate == null ? null : bucket(rate, Objects.requireNonNullElse(limits.burst(), rate));
    bucket = configured;
    command(commanded);
    Integer most = limits.maxWaitingStatements();
    waiting = most == null ? null : new WaitingStatements(() -> share(most));
  }

  private TokenBucket bucket(int rate, int burst) {
    return new TokenBucket(rate, burst, all::instances, all.nanoClock());
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

  /** The part of a limit that this instance has. */
  private int share(int limit) {
    return limit == 0 ? 0 : Math.max(1, limit / all.instances());
  }

  /** A place for a request or a stream; released when closed. For one thread. */
  public static final class Place implements AutoCloseable {
    private @Nullable AtomicInteger taken;

    private Place(@Nullable AtomicInteger taken) {
      this.taken = taken;
    }

    /** May be called again. */
    @Override
    public void close() {
      if (taken != null) {
        taken.decrementAndGet();
        taken = null;
      }
    }
  }

  /**
   * Takes a place for a request.
   *
   * @throws HttpProblem if the caller has too many requests in flight
   */
  public Place enterRequest() {
    return enter(
        requests,
        limits.maxRequests(),
        Limit.MAX_REQUESTS,
        ProblemType.TOO_MANY_REQUESTS,
        "This caller has too many requests at the same time");
  }

  /**
   * Takes a place for a stream.
   *
   * @throws HttpProblem if the caller sends too many streams
   */
  public Place enterStream() {
    return enter(
        streams,
        limits.maxStreams(),
        Limit.MAX_STREAMS,
        ProblemType.TOO_MANY_STREAMS,
        "This caller sends too many streams at the same time");
  }

  /** The most look-ups at the same time here; {@code none} if it has no limit of its own. */
  int mostLookUps(int none) {
    Integer most = limits.maxLookUps();
    return most == null ? none : share(most);
  }

  /** How many look-ups it has now. */
  AtomicInteger lookUps() {
    return lookUps;
  }

  private Place enter(
      AtomicInteger entered, @Nullable Integer whole, Limit kind, ProblemType type, String what) {
    int limit = whole == null ? Integer.MAX_VALUE : share(whole);
    int others = entered.getAndIncrement();
    if (others < limit) {
      return new Place(entered);
    }
    entered.decrementAndGet();
    refused(kind);
    int used = Math.min(others, limit);
    throw new HttpProblem(
            type,
            "%s (%,d, limit=%,d%s); nothing was done; retry later"
                .formatted(what, used, limit, here()))
        .with("limit", limit)
        .with("used", used)
        .retryAfter(RETRY);
  }

  /**
   * Admits statements that are sent together.
   *
   * @throws HttpProblem if the limits do not admit them now
   */
  public Admission admit(DoorGateway gateway, int statements) {
    TokenBucket bucket = this.bucket;
    if (waiting != null) {
      all.awaitCounted(gateway);
      if (!waiting.reserve(statements)) {
        throw quotaExceeded(waiting, "nothing was accepted; retry later");
      }
    }
    if (bucket != null && !bucket.tryTake(statements)) {
      if (waiting != null) {
        waiting.release(statements);
      }
      throw tooFast(bucket, statements);
    }
    return new Admission(statements, bucket, waiting, gateway, sent);
  }

  /**
   * Admits a statement that does not wait in a queue.
   *
   * @throws HttpProblem if the rate does not admit it now
   */
  public void admitAtOnce() {
    TokenBucket bucket = this.bucket;
    if (bucket != null && !bucket.tryTake(1)) {
      throw tooFast(bucket, 1);
    }
    sent.add(1);
  }

  /**
   * Waits until the limits admit some lines of a stream: without limit for the rate, and for {@code
   * patience} at most for statements to be performed.
   *
   * @param over whether the service is stopping
   * @return how many lines; none if the service is stopping
   * @throws HttpProblem if too many statements wait after that time
   */
  public Admission awaitSome(
      DoorGateway gateway, int lines, Duration patience, BooleanSupplier over) {
    if (waiting != null) {
      all.awaitCounted(gateway);
    }
    long deadline = System.nanoTime() + patience.toNanos();
    long pause = SHORTEST_PAUSE_MILLIS;
    while (!over.getAsBoolean()) {
      TokenBucket bucket = this.bucket;
      int room = waiting == null ? lines : waiting.reserveSome(lines);
      int admitted = bucket == null || room == 0 ? room : bucket.takeSome(room);
      if (waiting != null) {
        waiting.release(room - admitted);
      }
      if (admitted > 0) {
        return new Admission(admitted, bucket, waiting, gateway, sent);
      }
      if (waiting != null && room == 0) {
        if (System.nanoTime() - deadline >= 0) {
          throw quotaExceeded(waiting, "resume the stream at this line");
        }
        pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
      } else if (bucket != null) {
        deadline = System.nanoTime() + patience.toNanos();
        pause = Math.clamp(bucket.nanosUntilSome(room) / 1_000_000, 1, LONGEST_PAUSE_MILLIS);
      }
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    return Admission.unlimited(0);
  }

  void refused(Limit limit) {
    all.refused(limit);
    refused.incrementAndGet(limit.ordinal());
    lastRefused = Instant.now();
  }

  /** Its limits, as operators see them. */
  Door.Caller view(String name) {
    List<Door.Limit> list = new ArrayList<>();
    TokenBucket bucket = this.bucket;
    if (bucket != null) {
      list.add(
          new Door.Limit(
              Limit.RATE.word(),
              bucket.wholeRate(),
              bucket.rate().doubleValue(),
              null,
              timesRefused(Limit.RATE)));
      long taken = bucket.burst() - bucket.available();
      list.add(new Door.Limit("burst", bucket.wholeBurst(), bucket.burst(), taken, 0));
    }
    add(list, Limit.MAX_REQUESTS, limits.maxRequests(), requests.get());
    add(list, Limit.MAX_STREAMS, limits.maxStreams(), streams.get());
    if (waiting != null) {
      add(list, Limit.MAX_WAITING_STATEMENTS, limits.maxWaitingStatements(), waiting.usedNow());
    }
    add(list, Limit.MAX_LOOK_UPS, limits.maxLookUps(), lookUps.get());
    return new Door.Caller(name, list, lastRefused);
  }

  private void add(List<Door.Limit> list, Limit kind, @Nullable Integer most, long used) {
    if (most != null) {
      list.add(new Door.Limit(kind.word(), most, share(most), used, timesRefused(kind)));
    }
  }

  private long timesRefused(Limit limit) {
    return refused.get(limit.ordinal());
  }

  private String here() {
    int instances = all.instances();
    return instances == 1 ? "" : " at each of %d instances".formatted(instances);
  }

  private HttpProblem quotaExceeded(WaitingStatements full, String later) {
    refused(Limit.MAX_WAITING_STATEMENTS);
    long used = full.used();
    int limit = full.limit();
    return new HttpProblem(
            ProblemType.WAITING_QUOTA_EXCEEDED,
            "Too many statements of this caller wait to be performed (%,d, limit=%,d%s); %s"
                .formatted(used, limit, here(), later))
        .with("limit", limit)
        .with("used", used)
        .retryAfter(RETRY);
  }

  private HttpProblem tooFast(TokenBucket empty, int statements) {
    refused(Limit.RATE);
    int available = empty.available();
    Number rate = empty.rate();
    return new HttpProblem(
            ProblemType.RATE_LIMIT_EXCEEDED,
            "This caller sends statements too fast (%,d of a burst of %,d are left, limit=%s per second%s); nothing was accepted; retry later"
                .formatted(available, empty.burst(), rate, here()))
        .with("limit", rate)
        .with("burst", empty.burst())
        .with("available", available)
        .retryAfter(Duration.ofMillis(Math.ceilDiv(empty.nanosUntil(statements), 1_000_000)));
  }

  @Nullable WaitingStatements waiting() {
    return waiting;
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
    return requests.get() == 0
        && streams.get() == 0
        && lookUps.get() == 0
        && (bucket == null || bucket.nanosUntil(bucket.burst()) <= 0)
        && (lastRefused == null || !isLimited()) // operators see how often it was refused
        && waiting == null; // what waits may be counted later, see Recount
  }
}
