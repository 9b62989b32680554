/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A figure and how reliable it is: measured, estimated or unknown. An unknown figure has no value,
 * not even zero, and a {@code Double} is always finite. A figure computed from several others is as
 * reliable as the least reliable of them.
 *
 * @param <T> a {@code Double}, {@code Long}, {@code Duration} or {@link Until}; the owner defines
 *     the unit
 */
public sealed interface Figure<T> {

  /** Measured or counted, or computed from such figures only. */
  record Measured<T>(T value) implements Figure<T> {

    public Measured {
      requireFinite(value);
    }
  }

  /**
   * Derived with an assumption.
   *
   * @param how the assumption, shown to the reader
   */
  record Estimated<T>(T value, String how) implements Figure<T> {

    public Estimated {
      requireFinite(value);
    }
  }

  /**
   * Unknown.
   *
   * @param reason why, shown to the reader
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

  /** The value, if it is measured or estimated. */
  default Optional<T> known() {
    return switch (this) {
      case Measured<T>(T value) -> Optional.of(value);
      case Estimated<T>(T value, String how) -> Optional.of(value);
      case Unknown<T> it -> Optional.empty();
    };
  }

  /** Applies a function to the value and keeps the reliability. */
  default <R> Figure<R> map(Function<T, R> function) {
    return then(value -> measured(function.apply(value)));
  }

  /** Computes a figure from the value; the result is at most as reliable as this. */
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

  /** Computes a figure from both values; the result is at most as reliable as either. */
  default <U, R> Figure<R> with(Figure<U> other, BiFunction<T, U, R> function) {
    return then(mine -> other.map(theirs -> function.apply(mine, theirs)));
  }

  /** Returns this if it is known, otherwise the other. */
  default Figure<T> or(Figure<T> other) {
    return this instanceof Unknown ? other : this;
  }

  /** The value of a figure; NaN if it is unknown. */
  static double number(Figure<? extends Number> figure) {
    return figure.known().map(Number::doubleValue).orElse(Double.NaN);
  }

  private static void requireFinite(Object value) {
    if (value instanceof Double number && !Double.isFinite(number)) {
      throw new IllegalArgumentException(
          "a figure is finite or unknown (value=" + number + "); say why it is unknown instead");
    }
  }
}
