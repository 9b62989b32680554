/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statements that a caller can send to a gateway. Each call becomes a message; its result
 * arrives as a call of {@link JDBCResult}.
 *
 * <p>A statement is either SQL text with question marks, if the gateway accepts SQL text, or a
 * reference to a statement of its catalogue: {@code name@version}, optionally followed by {@code
 * :fingerprint}. With a reference, the arguments are the values of the parameters, in the order of
 * the catalogue. Text of that form, such as {@code select@1}, is always a reference.
 *
 * <p>Arguments may be null, boolean, an integer, float, double, {@code BigDecimal}, {@code String},
 * {@code byte[]}, {@code LocalDate}, {@code LocalTime}, {@code LocalDateTime}, {@code
 * OffsetDateTime}, {@code Instant}, {@code UUID}, {@code Json} or a list of these. The call rejects
 * any other type.
 */
public interface JDBCStatement {

  /**
   * Queries rows; answered by {@link JDBCResult#queryResult} or {@link JDBCResult#queryThrown}.
   *
   * @param resultType a registered record with a component per column, or {@code Row}
   */
  void executeQuery(String query, Class<?> resultType, @Nullable Object... args);

  /**
   * Changes rows; answered by {@link JDBCResult#updateResult} or {@link JDBCResult#updateThrown}.
   */
  void executeUpdate(String query, @Nullable Object... args);

  /**
   * Performs several changes atomically, such as an order and its lines; answered by one {@link
   * JDBCResult#updateResult} per call, or by one {@link JDBCResult#updateThrown}.
   */
  void executeTogether(List<Call> calls);
}
