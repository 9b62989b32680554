/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.queue.Appender;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The result of a call, which arrives in the out-queue. Completes with {@link CallGivenUp} if the
 * service gave the call up, and with {@link ResultUnknown} if its result cannot be received.
 *
 * <p>It ends with the process, but the result does not: store the {@link #id()}, and ask for the
 * result again. To complete or cancel it only ends the wait: the call is still performed. What
 * depends on it runs on a virtual thread. Thread-safe.
 *
 * @param <R> the type of the result
 */
public final class PendingResult<R> extends CompletableFuture<R> {

  private final UUID id;
  private final Expected expected;

  /** Whether it is complete or about to be completed on another thread. */
  private volatile boolean decided;

  /**
   * What is known about the call.
   *
   * @param type the class of the result
   * @param method the method that was called; null if that is not known
   * @param appender sent the call; null if another process may have sent it
   * @param ticket of that appender
   * @param partition of the call; −1 if that is not known
   */
  record Expected(
      Class<?> type,
      @Nullable ProtocolMethod method,
      @Nullable Appender appender,
      long ticket,
      int partition) {

    boolean wasSentBy(Appender sender, long first, long last) {
      return appender == sender && first <= ticket && ticket <= last;
    }

    boolean mayBeIn(int asked) {
      return partition < 0 || partition == asked;
    }
  }

  PendingResult(UUID id, Expected expected) {
    this.id = id;
    this.expected = expected;
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

  Expected expected() {
    return expected;
  }

  /** Whether it is complete, or will be in a moment. */
  public boolean isDecided() {
    return decided || isDone();
  }

  /** Completes it with a result, whose class is checked. */
  @SuppressWarnings("unchecked") // checked by the comparison with the class
  void received(@Nullable Object result) {
    if (result == null || expected.type().isInstance(result)) {
      decide(() -> complete((R) result));
    } else {
      failed(
          new IllegalArgumentException(
              "the result of call %s is a %s, not a %s"
                  .formatted(id, typeName(result), expected.type().getTypeName())));
    }
  }

  /** Collections by their interface; the class that implements them is nobody's choice. */
  private static String typeName(Object result) {
    return switch (result) {
      case List<?> _ -> List.class.getTypeName();
      case Set<?> _ -> Set.class.getTypeName();
      case Map<?, ?> _ -> Map.class.getTypeName();
      default -> result.getClass().getTypeName();
    };
  }

  void failed(RuntimeException reason) {
    decide(() -> completeExceptionally(reason));
  }

  /** What depends on the future may block, so it must not run on the thread that reads results. */
  private void decide(Runnable completion) {
    decided = true;
    Thread.ofVirtual().name("forebay-result").start(completion);
  }
}
