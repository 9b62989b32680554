/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.body;

import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory that large bodies of requests, or large results, take at once. What is as small
 * as the buffers of a connection is not counted. Thread-safe.
 */
public final class ByteBudget {

  /** The size up to which bytes are not counted. */
  public static final int FREE = 8 * 1024;

  private static final Duration RETRY = Duration.ofSeconds(1);

  private final long limit;
  private final @Nullable ByteBudget whole;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param limit in bytes
   */
  public ByteBudget(long limit) {
    this(limit, null);
  }

  private ByteBudget(long limit, @Nullable ByteBudget whole) {
    this.limit = limit;
    this.whole = whole;
  }

  /**
   * The part of one caller: what is taken of it is taken of the whole, too.
   *
   * @param most in bytes
   */
  public ByteBudget part(long most) {
    return new ByteBudget(most, this);
  }

  /** Bytes of the budget; closing gives them back. For one thread. */
  public final class Share implements AutoCloseable {

    private int bytes;

    private Share(int bytes) {
      this.bytes = bytes;
    }

    /**
     * Gives a part back.
     *
     * @param to how many are kept, at most as many as were taken
     */
    void shrink(int to) {
      giveBack(bytes - to);
      bytes = to;
    }

    @Override
    public void close() {
      shrink(0);
    }
  }

  /**
   * Takes bytes; if none are taken yet, also more than the limit.
   *
   * @return null if so many are not left; then none are taken
   */
  public @Nullable Share take(int bytes) {
    int counted = counted(bytes);
    return exhausted(counted) == null ? new Share(counted) : null;
  }

  /**
   * Takes bytes as {@link #take} does.
   *
   * @param refusal a text with a format for what takes the memory
   * @throws Problem if so many are not left; then none are taken
   */
  public Share demand(int bytes, String refusal) {
    int counted = counted(bytes);
    ByteBudget exhausted = exhausted(counted);
    if (exhausted != null) {
      throw exhausted.refused(refusal);
    }
    return new Share(counted);
  }

  private static int counted(int bytes) {
    return bytes <= FREE ? 0 : bytes;
  }

  /** Takes bytes, unless it returns the budget that has too few left. */
  private @Nullable ByteBudget exhausted(int bytes) {
    long before = taken.getAndAdd(bytes);
    boolean fits = bytes == 0 || before == 0 || before + bytes <= limit;
    ByteBudget exhausted = !fits ? this : whole == null ? null : whole.exhausted(bytes);
    if (exhausted != null) {
      taken.addAndGet(-bytes);
    }
    return exhausted;
  }

  private void giveBack(int bytes) {
    taken.addAndGet(-bytes);
    if (whole != null) {
      whole.giveBack(bytes);
    }
  }

  /**
   * @param refusal as of {@link #demand}
   */
  public Problem refused(String refusal) {
    String others = whole == null ? "other requests" : "other requests of this caller";
    return new Problem(ProblemType.TOO_MANY_BYTES, refusal.formatted(others) + "; try again later")
        .with("limitBytes", limit)
        .retryAfter(RETRY);
  }
}
