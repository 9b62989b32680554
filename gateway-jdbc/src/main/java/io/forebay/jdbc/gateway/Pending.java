/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.Writer;
import io.forebay.jdbc.Receipt;
import io.forebay.queue.QueueFailed;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
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

  private final StatementClient client;
  private final Writer<?> writer;
  private final long ticket;
  private volatile @Nullable Receipt receipt;
  private volatile @Nullable QueueFailed doubt;

  Pending(StatementClient client, Writer<?> writer, long ticket) {
    this.client = client;
    this.writer = writer;
    this.ticket = ticket;
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

  long ticket() {
    return ticket;
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
    writer.await(ticket, timeout);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    client.forget(this);
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
