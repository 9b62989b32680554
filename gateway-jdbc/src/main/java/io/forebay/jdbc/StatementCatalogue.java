/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Knows the statements that messages may name instead of carrying SQL text. A bean of this type is
 * asked by the gateway that performs, for each statement that is named: it must be fast, must not
 * wait for a gateway, and may change its mind. Thread-safe.
 */
@FunctionalInterface
public interface StatementCatalogue {

  /**
   * The statement of a gateway that a reference stands for.
   *
   * @param reference {@code name@version}, or {@code name@version:fingerprint}, which stands for it
   *     only as long as its text and parameters are the same
   * @throws NoSuchElementException if there is none; the message says what there is, for whoever
   *     sent it
   */
  Entry find(String gateway, String reference);

  /**
   * Takes note that a statement of a gateway failed when it was performed. Called in the thread of
   * its partition.
   *
   * @param sql its text, with question marks
   */
  default void failed(String gateway, String sql, SqlFailure failure) {}

  /** What a text is called here; null if it is not in the catalogue. */
  default @Nullable String nameOf(String gateway, String sql) {
    return null;
  }

  /** A statement of the catalogue. Immutable. */
  interface Entry {

    /** Its text, with question marks; always the same object. */
    String sql();

    /** Whether it is answered with rows, and not with a number of rows that were changed. */
    boolean isQuery();

    /**
     * The arguments of its text.
     *
     * @param values of its parameters, in their order
     * @throws IllegalArgumentException if it does not take these; the message tells no value
     */
    @Nullable Object[] arguments(@Nullable Object[] values);
  }
}
