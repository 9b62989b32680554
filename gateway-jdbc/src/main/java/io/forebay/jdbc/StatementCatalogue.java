/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the statements that messages may reference instead of carrying SQL text. The gateway calls
 * a bean of this type for each reference: it must be fast and must not wait for a gateway. Its
 * answer may change over time. Thread-safe.
 */
@FunctionalInterface
public interface StatementCatalogue {

  /** Has no statement. */
  StatementCatalogue NONE =
      (gateway, _) -> {
        throw new NoSuchElementException("gateway %s has no catalogue".formatted(gateway));
      };

  /**
   * Returns the statement of a gateway that a reference identifies.
   *
   * @param reference {@code name@version}, or {@code name@version:fingerprint}, which matches only
   *     while text and parameters are unchanged
   * @throws NoSuchElementException if there is none; the message names, for the sender, what exists
   */
  Entry find(String gateway, String reference);

  /**
   * Called when a statement of a gateway failed, in the thread of its partition.
   *
   * @param sql its text, with question marks
   */
  default void failed(String gateway, String sql, SqlFailure failure) {}

  /**
   * Whether the result of a failed statement with this SQL text names constraint, table and column.
   */
  default boolean explains(String gateway, String sql) {
    return false;
  }

  /** The name of an SQL text in the catalogue; null if it is not there. */
  default @Nullable String nameOf(String gateway, String sql) {
    return null;
  }

  /**
   * The names of the parameters that the arguments of a message are for, in their order.
   *
   * @param text of the message: an SQL text of the catalogue, or a reference
   * @return empty if it is not in the catalogue
   */
  default List<String> parametersOf(String gateway, String text) {
    return List.of();
  }

  /** Whether a statement of the gateway has this name, in any version. */
  default boolean hasName(String gateway, String name) {
    return false;
  }

  /** A statement of the catalogue. Immutable. */
  interface Entry {

    /** Its text, with question marks; always the same object. */
    String sql();

    /** Whether its result is rows; otherwise the result is an update count. */
    boolean isQuery();

    /**
     * The arguments for the question marks of its text.
     *
     * @param values of its parameters, in their order
     * @throws IllegalArgumentException if the values do not fit the parameters; the message
     *     contains no value
     */
    @Nullable Object[] arguments(@Nullable Object[] values);
  }
}
