/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static io.forebay.bench.TargetTables.inHsqldb;
import static io.forebay.bench.TargetTables.inPostgresql;

import io.forebay.bench.TargetTables.Hsqldb;
import io.forebay.chronicle.ChronicleBackend.Writing;
import io.forebay.jdbc.Results;
import java.nio.file.Path;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The rows of the burst benchmark, in the order of their turns. */
enum BurstContender {
  SEED_DESIGN_HSQLDB((folder, _) -> new SeedDesign(folder, inHsqldb(folder, Hsqldb.DELAYED))),
  SEED_DESIGN_HSQLDB_DURABLE(
      (folder, _) -> new SeedDesign(folder, inHsqldb(folder, Hsqldb.DURABLE))),
  SEED_DESIGN_POSTGRESQL((folder, url) -> new SeedDesign(folder, inPostgresql(url))),
  BARE_APPEND_SAME_BYTES((folder, _) -> new BareAppend(folder, Burst.messageBytes(Burst.INSERT))),
  BARE_LOOP_HSQLDB((folder, _) -> new BareLoop(folder, inHsqldb(folder, Hsqldb.DURABLE))),
  BARE_LOOP_POSTGRESQL((folder, url) -> new BareLoop(folder, inPostgresql(url))),
  FOREBAY_HSQLDB((folder, _) -> Forebay.onHsqldb(folder, Results.ALL)),
  FOREBAY_HSQLDB_RUNS((folder, _) -> Forebay.onHsqldb(folder, Results.RUNS)),
  FOREBAY_POSTGRESQL(
      (folder, url) -> Forebay.onPostgresql(folder, url, Writing.DIRECT, Burst.INSERT));

  @FunctionalInterface
  private interface Opening {
    Contender open(Path folder, @Nullable String postgres) throws SQLException;
  }

  private final Opening opening;

  BurstContender(Opening opening) {
    this.opening = opening;
  }

  /**
   * @param folder an empty folder
   * @param postgres an empty database; null if it needs none
   */
  Contender open(Path folder, @Nullable String postgres) throws SQLException {
    return opening.open(folder, postgres);
  }

  /** Whether a statement takes so long that its bursts are shorter. */
  boolean isSlow() {
    return this == SEED_DESIGN_HSQLDB_DURABLE || this == SEED_DESIGN_POSTGRESQL;
  }

  boolean needsPostgresql() {
    return name().endsWith("POSTGRESQL");
  }

  boolean takesFailures() {
    return !name().startsWith("BARE");
  }
}
