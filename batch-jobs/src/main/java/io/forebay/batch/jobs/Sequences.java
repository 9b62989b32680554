/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.util.Objects;
import org.springframework.batch.infrastructure.item.database.support.DataFieldMaxValueIncrementerFactory;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.incrementer.AbstractDataFieldMaxValueIncrementer;
import org.springframework.jdbc.support.incrementer.DataFieldMaxValueIncrementer;

/**
 * The sequences of Spring Batch. The kind of database is determined at each number, so the database
 * may be unavailable before.
 */
record Sequences(JdbcTemplate database) implements DataFieldMaxValueIncrementerFactory {

  @Override
  public DataFieldMaxValueIncrementer getIncrementer(String type, String name) {
    return new AbstractDataFieldMaxValueIncrementer() {
      @Override
      protected long getNextKey() {
        String sql = isPostgres() ? "select nextval('%s')" : "call next value for %s";
        return Objects.requireNonNull(database.queryForObject(sql.formatted(name), Long.class));
      }
    };
  }

  private boolean isPostgres() {
    ConnectionCallback<String> product =
        connection -> connection.getMetaData().getDatabaseProductName();
    return "PostgreSQL".equals(database.execute(product));
  }

  @Override
  public boolean isSupportedIncrementerType(String type) {
    return true;
  }

  @Override
  public String[] getSupportedIncrementerTypes() {
    return new String[0];
  }
}
