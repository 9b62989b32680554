/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A figure and how it is known. What is not known has no value: it is never a zero, and a {@code
 * Double} in here is always finite. What is computed from several figures is as weak as the weakest
 * of them.
 *
 * @param <T> a {@code Double}, {@code Long}, {@code Duration} or {@link Until}; the unit is the
 *     owner's
 */
public sealed interface Figure<T> {

  /** Seen or counted, or computed from nothing but such figures. */
  record Measured<T>(T value) implements Figure<T> {

    public Measured {
      requireFinite(value);
    }
  }

  /**
   * Derived with an assumption.
   *
   * @param how the assumption, for the reader of the figure
   */
  record Estimated<T>(T value, String how) implements Figure<T> {

    public Estimated {
      requireFinite(value);
    }
  }

  /**
   * Not known.
   *
   * @param reason why, for the reader of the figure
   */
  record Unknown<T>(String reason) implements Figure<T> {}

  /**
   * @throws IllegalArgumentException if it is a double that is not finite
   */
  static <T> Figure<T> measured(T value) {
    return new Measured<>(value);
  }

  /**
   * @throws IllegalArgumentException if it is a double that is not finite
   */
  static <T> Figure<T> estimated(T value, String how) {
    return new Estimated<>(value, how);
  }

  static <T> Figure<T> unknown(String reason) {
    return new Unknown<>(reason);
  }

  /** The value where there is one, measured or estimated. */
  default Optional<T> known() {
    return switch (this) {
      case Measured<T>(T value) -> Optional.of(value);
      case Estimated<T>(T value, String how) -> Optional.of(value);
      case Unknown<T> it -> Optional.empty();
    };
  }

  /** The same knowledge of another value. */
  default <R> Figure<R> map(Function<T, R> function) {
    return then(value -> measured(function.apply(value)));
  }

  /** What follows from the value, and no better known than this. */
  default <R> Figure<R> then(Function<T, Figure<R>> function) {
    return switch (this) {
      case Measured<T>(T value) -> function.apply(value);
      case Estimated<T>(T value, String how) ->
          switch (function.apply(value)) {
            case Measured<R>(R result) -> estimated(result, how);
            case Estimated<R>(R result, String also) ->
                estimated(result, how.equals(also) ? how : how + "; " + also);
            case Unknown<R> unknown -> unknown;
          };
      case Unknown<T>(String reason) -> unknown(reason);
    };
  }

  /** What follows from both values, and no better known than either. */
  default <U, R> Figure<R> with(Figure<U> other, BiFunction<T, U, R> function) {
    return then(mine -> other.map(theirs -> function.apply(mine, theirs)));
  }

  /** This, if it is known, otherwise the other. */
  default Figure<T> or(Figure<T> other) {
    return this instanceof Unknown ? other : this;
  }

  private static void requireFinite(Object value) {
    if (value instanceof Double number && !Double.isFinite(number)) {
      throw new IllegalArgumentException(
          "a figure is finite or unknown (value=" + number + "); say why it is unknown instead");
    }
  }
}
