/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.postgresql.core.QueryExecutor;

/**
 * The types that PostgreSQL's driver receives in binary form. It receives all others as the
 * server's own text, instead of formatting them itself.
 */
final class BinaryTypes {

  /** Received in binary form. */
  private static final Set<Integer> BINARY =
      Set.of(
          Oid.BOOL,
          Oid.INT2,
          Oid.INT4,
          Oid.INT8,
          Oid.FLOAT4,
          Oid.FLOAT8,
          Oid.BYTEA,
          Oid.UUID,
          Oid.DATE,
          Oid.TIME,
          Oid.TIMESTAMP,
          Oid.TIMESTAMPTZ);

  private BinaryTypes() {}

  /** Makes the driver request all other types as text. */
  @SuppressWarnings("deprecation") // the driver has no other getter
  static void limit(Connection connection) throws SQLException {
    QueryExecutor executor = connection.unwrap(BaseConnection.class).getQueryExecutor();
    Set<Integer> binary = new HashSet<>(executor.getBinaryReceiveOids());
    if (binary.retainAll(BINARY)) {
      executor.setBinaryReceiveOids(binary);
    }
  }
}
