/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.util.Objects;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.incrementer.DataFieldMaxValueIncrementer;

/**
 * The numbers of a sequence. The kind of database is determined at the first number, so the
 * database may be unavailable before.
 */
final class Sequence implements DataFieldMaxValueIncrementer {

  private final JdbcTemplate database;
  private final String name;

  Sequence(JdbcTemplate database, String name) {
    this.database = database;
    this.name = name;
  }

  @Override
  public long nextLongValue() {
    String sql = isPostgres() ? "select nextval('%s')" : "call next value for %s";
    return Objects.requireNonNull(database.queryForObject(sql.formatted(name), Long.class));
  }

  private boolean isPostgres() {
    ConnectionCallback<String> product =
        connection -> connection.getMetaData().getDatabaseProductName();
    return "PostgreSQL".equals(database.execute(product));
  }

  @Override
  public int nextIntValue() {
    return Math.toIntExact(nextLongValue());
  }

  @Override
  public String nextStringValue() {
    return Long.toString(nextLongValue());
  }
}
