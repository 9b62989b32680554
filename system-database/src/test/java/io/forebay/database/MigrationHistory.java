/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

/** The table of the migrations that have run, for dumps of PostgreSQL. */
public final class MigrationHistory {

  private MigrationHistory() {}

  /** The statement with which Flyway creates it. */
  public static String create(String table) {
    return """
    create table %s (
      installed_rank int not null primary key,
      version varchar(50),
      description varchar(200) not null,
      type varchar(20) not null,
      script varchar(1000) not null,
      checksum int,
      installed_by varchar(100) not null,
      installed_on timestamp not null default now(),
      execution_time int not null,
      success boolean not null
    );
    """
        .formatted(table);
  }
}
