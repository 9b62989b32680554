/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Burst.Contents;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The table for the statements, without a unique key, and its database. */
final class TargetTables implements Contender.Effects {

  /** When HSQLDB writes a commit to disk: half a second later, or before the commit returns. */
  enum Hsqldb {
    DELAYED,
    DURABLE
  }

  /** The rows of all contenders on HSQLDB are in memory. */
  private static final String IN_MEMORY = "create memory table";

  private final Database database;
  private final boolean ownsHsqldb;

  private TargetTables(Database database, String create, boolean ownsHsqldb) throws SQLException {
    this.database = database;
    this.ownsHsqldb = ownsHsqldb;
    database.execute(
        create
            + " orders (id bigint not null, customer varchar(40) not null,"
            + " amount double precision not null check (amount >= 0))");
  }

  /** In an open HSQLDB, of a user who may create and truncate tables and run checkpoints. */
  static TargetTables inHsqldb(DataSource owner) throws SQLException {
    return new TargetTables(owner::getConnection, IN_MEMORY, false);
  }

  /** In an HSQLDB in this folder, which {@link #shutdown} ends. */
  static TargetTables inHsqldb(Path folder, Hsqldb mode) throws SQLException {
    String delay = mode == Hsqldb.DURABLE ? ";hsqldb.write_delay=false" : "";
    String url = "jdbc:hsqldb:file:" + folder.resolve("database") + delay;
    return new TargetTables(() -> DriverManager.getConnection(url, "SA", ""), IN_MEMORY, true);
  }

  static TargetTables inPostgresql(String url) throws SQLException {
    return new TargetTables(
        Postgres.dataSource(url, Postgres.OWNER)::getConnection, "create table", false);
  }

  Database database() {
    return database;
  }

  /** Grants a role that owns nothing the permissions to perform the statements. */
  void grantTo(String role) throws SQLException {
    database.execute("grant select, insert, update, delete on orders to " + role);
  }

  @Override
  public void clear() throws SQLException {
    database.execute("truncate table orders", "checkpoint");
  }

  @Override
  public Contents contents() throws SQLException {
    double[] row = database.row("select count(*), sum(id), sum(amount) from orders");
    return new Contents((long) row[0], (long) row[1], row[2]);
  }

  /** Ends an HSQLDB that it has opened. */
  void shutdown() throws SQLException {
    if (ownsHsqldb) {
      database.execute("shutdown");
    }
  }
}
