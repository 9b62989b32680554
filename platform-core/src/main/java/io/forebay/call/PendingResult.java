/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.queue.Appender;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The result of a call, which arrives in the out-queue. Completes with {@link NotPerformed} if the
 * service gave the call up, and with {@link ResultUnknown} if its result cannot be received.
 *
 * <p>It ends with the process, but the result does not: store the {@link #id()}, and ask for the
 * result again. Cancelling only stops waiting: the call is still performed. Thread-safe.
 *
 * @param <R> the type of the result
 */
public final class PendingResult<R> extends CompletableFuture<R> {

  private final PendingResults<?> results;
  private final UUID id;
  private final Class<?> type;
  private final @Nullable Appender appender;
  private final long ticket;

  /**
   * @param type the class that the result must have
   * @param appender sent the call, or null if another one did
   * @param ticket of that appender
   */
  PendingResult(
      PendingResults<?> results, UUID id, Class<?> type, @Nullable Appender appender, long ticket) {
    this.results = results;
    this.id = id;
    this.type = type;
    this.appender = appender;
    this.ticket = ticket;
  }

  /**
   * The id of the call whose result this is.
   *
   * @param future as a call of a service returned it; not one made from it, such as by {@link
   *     #thenApply}
   * @throws IllegalArgumentException if it is another future
   */
  public static UUID id(CompletableFuture<?> future) {
    if (future instanceof PendingResult<?> pending) {
      return pending.id();
    }
    throw new IllegalArgumentException(
        "a %s has no id; pass the future that the call returned"
            .formatted(future.getClass().getTypeName()));
  }

  /** The id of the call. */
  public UUID id() {
    return id;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    forget();
    return super.cancel(mayInterruptIfRunning);
  }

  void forget() {
    results.forget(this);
  }

  boolean wasSentBy(Appender sender, long fromTicket) {
    return appender == sender && ticket >= fromTicket;
  }

  @SuppressWarnings("unchecked") // checked by the comparison with the class
  void received(@Nullable Object result) {
    if (result == null || type.isInstance(result)) {
      complete((R) result);
    } else {
      completeExceptionally(
          new IllegalArgumentException(
              "the result of call %s is a %s, not a %s"
                  .formatted(id, result.getClass().getTypeName(), type.getTypeName())));
    }
  }
}
