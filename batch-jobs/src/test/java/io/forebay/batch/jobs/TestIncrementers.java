/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import org.springframework.batch.infrastructure.item.database.support.DataFieldMaxValueIncrementerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.incrementer.DataFieldMaxValueIncrementer;

/** Sequences for an unmodified Spring Batch repository. */
record TestIncrementers(JdbcTemplate database) implements DataFieldMaxValueIncrementerFactory {

  @Override
  public DataFieldMaxValueIncrementer getIncrementer(String type, String name) {
    return new Sequence(database, name);
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
