/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The statements that messages may reference instead of carrying SQL text, and what is known of SQL
 * texts. The gateway calls a bean of this type for each statement: it must be fast and must not
 * wait for a gateway. Its answer may change over time. Thread-safe.
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
   * Returns what is known of a text; null if no statement of the gateway has this text or name.
   *
   * @param text of a message: SQL text with question marks, or a reference, also if its version is
   *     unknown
   */
  default @Nullable Known known(String gateway, String text) {
    return null;
  }

  /** The name of a text, as {@link #known}; null if it is not known. */
  default @Nullable String nameOf(String gateway, String text) {
    Known known = known(gateway, text);
    return known == null ? null : known.name();
  }

  /**
   * Returns the reference {@code name@version:fingerprint} of the newest version of a statement,
   * which a message may carry instead of SQL text. The arguments are then the values of the
   * parameters, in their order. The message fails unless the catalogue still contains this version
   * with this text and these parameters.
   *
   * @throws IllegalArgumentException if there is no such statement, or the database refused to
   *     prepare it
   */
  default String reference(String name) {
    throw new IllegalArgumentException("there is no catalogue that has statement " + name);
  }

  /**
   * What is known of a text. Several statements may have the same SQL text.
   *
   * @param name of the newest version
   * @param parameters what the arguments of the message are for, in their order; empty if the
   *     version is unknown
   * @param independent whether it may be performed before earlier statements, because one of the
   *     statements says so
   * @param explains whether the result of a failure names constraint, table and column, because all
   *     of the statements say so
   */
  record Known(String name, List<String> parameters, boolean independent, boolean explains) {}

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
