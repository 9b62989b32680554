/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a caller may ask of a database. A call is a message; its answer comes as a call of {@link
 * JDBCResult}.
 *
 * <p>What is to be performed is SQL text with question marks, where the gateway accepts that, or
 * the reference of a statement of its catalogue, {@code name@version}, optionally with {@code
 * :fingerprint}; then the arguments are the values of its parameters, in the order in which the
 * catalogue has them. A text of that form, such as {@code select@1}, is always a reference.
 *
 * <p>Arguments may be null, boolean, an integer, float, double, {@code BigDecimal}, {@code String},
 * {@code byte[]}, {@code LocalDate}, {@code LocalTime}, {@code LocalDateTime}, {@code
 * OffsetDateTime}, {@code Instant}, {@code UUID}, {@code Json} or a list of these; anything else is
 * refused at the call.
 */
public interface JDBCStatement {

  /**
   * Asks for rows; answered by {@link JDBCResult#queryResult} or {@link JDBCResult#queryThrown}.
   *
   * @param resultType a registered record with a component per column, or {@code Row}
   */
  void executeQuery(String query, Class<?> resultType, @Nullable Object... args);

  /**
   * Asks for a change; answered by {@link JDBCResult#updateResult} or {@link
   * JDBCResult#updateThrown}.
   */
  void executeUpdate(String query, @Nullable Object... args);

  /**
   * Asks for changes that take effect all or none, such as an order and its lines; answered by one
   * {@link JDBCResult#updateResult} per call, or by one {@link JDBCResult#updateThrown}.
   */
  void executeTogether(List<Call> calls);
}
