/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.Writer;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.QueueFailed;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The future result of a statement. Completes with {@link io.forebay.jdbc.SqlFailed} if it was not
 * performed.
 *
 * <p>Cancelling only stops waiting: the statement is still performed.
 *
 * @param <T> {@code Long} for an update, {@link io.forebay.jdbc.Rows} for a query, a list of {@code
 *     Long} for updates that took effect together
 */
public final class Pending<T> extends CompletableFuture<T> {

  private final Outstanding outstanding;
  private final Sent sent;
  private final Function<ResultCollector, T> value;
  private volatile @Nullable Receipt receipt;
  private volatile @Nullable QueueFailed doubt;

  /** A statement, by what its writer knows about it. */
  record Sent(Writer<?> writer, long ticket, int partition, UUID id) {}

  /**
   * @param value computes the value from the result
   */
  Pending(Outstanding outstanding, Sent sent, Function<ResultCollector, T> value) {
    this.outstanding = outstanding;
    this.sent = sent;
    this.value = value;
  }

  Sent sent() {
    return sent;
  }

  boolean isAt(Receipt where) {
    return where.equals(receipt);
  }

  /** Whether its position in that partition is not known yet. */
  boolean mayBeAt(Receipt where) {
    return receipt == null && sent.partition == where.partition();
  }

  boolean isBefore(int partition, long position) {
    Receipt known = receipt;
    return known != null && known.partition() == partition && known.position() < position;
  }

  void complete(ResultCollector result) {
    SqlFailure failure = result.failure();
    if (failure != null) {
      completeExceptionally(new SqlFailed(failure));
    } else {
      complete(value.apply(result));
    }
  }

  void accepted(Receipt where) {
    receipt = where;
  }

  /** It is unknown whether the queue took the statement; if it did, it is there. */
  void inDoubt(Receipt where, QueueFailed cause) {
    receipt = where;
    doubt = cause;
    completeExceptionally(cause);
  }

  /** Returns where the statement was accepted, if that is known; see {@link #receipt}. */
  public Optional<Receipt> receiptIfKnown() {
    return Optional.ofNullable(receipt);
  }

  /**
   * Returns where the statement was accepted. A local queue knows this at once. A shared queue
   * knows it after {@link #awaitAccepted}, or when there is a result.
   *
   * @throws IllegalStateException if it is not known yet
   */
  public Receipt receipt() {
    Receipt known = receipt;
    if (known == null) {
      throw new IllegalStateException(
          "the position of the statement is not known yet; call awaitAccepted first");
    }
    return known;
  }

  /**
   * Waits until the statement is accepted: it has reached the queue's strongest level.
   *
   * @throws TimeoutException if it is not accepted within that time; it may be accepted later
   * @throws QueueFailed if it will not be acknowledged; whether the message is durable is unknown
   */
  public void awaitAccepted(Duration timeout) throws TimeoutException, InterruptedException {
    QueueFailed unknown = doubt;
    if (unknown != null) {
      throw unknown;
    }
    sent.writer.await(sent.ticket, timeout);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    outstanding.forget(this);
    completeExceptionally(new GivenUp());
    return isCancelled();
  }

  /** Has no stack trace, because the HTTP door cancels often. */
  private static final class GivenUp extends CancellationException {

    private static final long serialVersionUID = 1;

    private GivenUp() {
      super("the wait was cancelled; the statement is still performed");
    }

    @Override
    public Throwable fillInStackTrace() {
      return this;
    }
  }
}
