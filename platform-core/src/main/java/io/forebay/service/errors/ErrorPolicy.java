/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import java.time.Duration;
import java.util.List;

/**
 * What a service does with a message whose component throws.
 *
 * <pre>{@code
 * ErrorPolicy.retry(3, Duration.ofMillis(100))
 *     .thenDeadLetter()
 *     .withFatal(IllegalArgumentException.class)
 * }</pre>
 *
 * <p>The answers that the component gave to that message are discarded. Messages behind it in the
 * partition wait, so that their order is kept. These exceptions do not count as a try, and the
 * message is retried until they end: {@link io.forebay.service.progress.Unavailable}, and what a
 * full or unavailable queue throws. Errors such as {@link OutOfMemoryError} fail the partition.
 *
 * <p>A type may be in one of the lists {@link #withFatal}, {@link #withRetryable} and {@link
 * #withDeclining} only; otherwise the method that names it again throws {@link
 * IllegalArgumentException}. If a type and a subtype of it are in two lists, declining precedes
 * fatal, and fatal precedes retryable.
 *
 * <p>Tries are counted in memory: after a restart the count begins again. Immutable.
 */
public final class ErrorPolicy {

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final Retry retry;
  private final boolean deadLetter;
  private final List<Class<? extends Throwable>> fatal;
  private final List<Class<? extends Throwable>> retryable;
  private final List<Class<? extends Throwable>> declining;

  private ErrorPolicy(
      Retry retry,
      boolean deadLetter,
      List<Class<? extends Throwable>> fatal,
      List<Class<? extends Throwable>> retryable,
      List<Class<? extends Throwable>> declining) {
    this.retry = retry;
    this.deadLetter = deadLetter;
    this.fatal = fatal;
    this.retryable = retryable;
    this.declining = declining;
    mustDiffer("withFatal", fatal, "withRetryable", retryable);
    mustDiffer("withFatal", fatal, "withDeclining", declining);
    mustDiffer("withRetryable", retryable, "withDeclining", declining);
  }

  private static void mustDiffer(
      String one,
      List<Class<? extends Throwable>> types,
      String other,
      List<Class<? extends Throwable>> others) {
    types.stream()
        .filter(others::contains)
        .filter(type -> type != Throwable.class) // retryable names it unless it is given
        .findFirst()
        .ifPresent(type -> {
          throw new IllegalArgumentException(
              "exception %s is named by %s and by %s; name it in one of them (a subtype may be named in another one)"
                  .formatted(type.getName(), one, other));
        });
  }

  /** Three tries 100 and 200 ms apart, then a dead letter. */
  public static ErrorPolicy defaults() {
    return retry(3, Duration.ofMillis(100)).thenDeadLetter();
  }

  /**
   * Stops the partition at the message. It is retried, at most 30 s apart, until it succeeds or an
   * operator fails it.
   */
  public static ErrorPolicy stop() {
    return retry(1, Duration.ofMillis(100)).thenStop();
  }

  /**
   * @param tries how often a message is performed before the service gives it up, at least 1
   * @param backOff the pause before the second try; doubled before each further one, up to 30 s, or
   *     not doubled if it is 30 s or longer
   * @throws IllegalArgumentException if one of them is not allowed
   */
  public static Retry retry(int tries, Duration backOff) {
    return new Retry(tries, backOff);
  }

  /** A number of tries; one of its methods makes the policy. */
  public record Retry(int tries, Duration backOff) {

    public Retry {
      if (tries < 1) {
        throw new IllegalArgumentException("tries is " + tries + ", minimum 1");
      }
      if (backOff.isNegative() || backOff.isZero()) {
        throw new IllegalArgumentException("backOff is " + backOff + "; it must be positive");
      }
    }

    /**
     * Then stores the message as a dead letter and answers it with a failure; the partition
     * continues with the next message.
     */
    public ErrorPolicy thenDeadLetter() {
      return new ErrorPolicy(this, true, List.of(), List.of(Throwable.class), List.of());
    }

    /** Then stops as with {@link ErrorPolicy#stop}. */
    public ErrorPolicy thenStop() {
      return new ErrorPolicy(this, false, List.of(), List.of(Throwable.class), List.of());
    }
  }

  /**
   * Exceptions of these types, and of their subtypes, are not retried: the component rejects the
   * message. They are logged without their stack trace. See also {@link #withDeclining}.
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // List.of copies them
  public final ErrorPolicy withFatal(Class<? extends Throwable>... types) {
    return new ErrorPolicy(retry, deadLetter, List.of(types), retryable, declining);
  }

  /** Only exceptions of these types, and of their subtypes, are retried, unless they are fatal. */
  @SafeVarargs
  @SuppressWarnings("varargs") // List.of copies them
  public final ErrorPolicy withRetryable(Class<? extends Throwable>... types) {
    return new ErrorPolicy(retry, deadLetter, fatal, List.of(types), declining);
  }

  /**
   * By exceptions of these types, and of their subtypes, the component declines a call, which is a
   * normal outcome: an item is sold out, for example. The call is answered with the exception as
   * its {@link io.forebay.call.CallFailure} at once. It is not retried, logged or stored as a dead
   * letter, also by a policy that stops; {@code forebay.service.declined} counts it.
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // List.of copies them
  public final ErrorPolicy withDeclining(Class<? extends Exception>... types) {
    return new ErrorPolicy(retry, deadLetter, fatal, retryable, List.of(types));
  }

  /** Whether the message is given up after it failed that many times, the last time with this. */
  public boolean givesUp(Throwable thrown, int failed) {
    return deadLetter
        && (failed >= retry.tries() || isFatal(thrown) || !isOneOf(retryable, thrown));
  }

  /** Whether it is of a type of {@link #withDeclining}. */
  public boolean isDeclining(Throwable thrown) {
    return isOneOf(declining, thrown);
  }

  /** Whether it is of a type of {@link #withFatal}. */
  public boolean isFatal(Throwable thrown) {
    return isOneOf(fatal, thrown);
  }

  /** The pause after that many failures. */
  public Duration pause(int failed) {
    Duration pause = retry.backOff();
    Duration longest = pause.compareTo(LONGEST_PAUSE) < 0 ? LONGEST_PAUSE : pause;
    for (int i = 1; i < failed && pause.compareTo(longest) < 0; i++) {
      pause = pause.multipliedBy(2);
    }
    return pause.compareTo(longest) < 0 ? pause : longest;
  }

  /** Whether a message is retried without limit. */
  public boolean stops() {
    return !deadLetter;
  }

  /** How often a message is performed, for a log; empty if without a limit. */
  public String limit() {
    return deadLetter ? " of " + retry.tries() : "";
  }

  private static boolean isOneOf(List<Class<? extends Throwable>> types, Throwable thrown) {
    return types.stream().anyMatch(type -> type.isInstance(thrown));
  }
}
