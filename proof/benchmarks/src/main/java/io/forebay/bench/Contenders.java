/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static io.forebay.bench.Contender.Trait.NEEDS_POSTGRESQL;
import static io.forebay.bench.Contender.Trait.SLOW;
import static io.forebay.bench.Contender.Trait.TAKES_FAILURES;
import static io.forebay.bench.Contender.Trait.TAKES_KAFKA;
import static io.forebay.bench.Contender.Trait.TAKES_TWO_STATEMENTS;

import io.forebay.bench.Contender.Entry;
import io.forebay.bench.TargetTables.Hsqldb;
import java.util.List;
import java.util.Set;

/** All contenders, in the order of their turns. */
final class Contenders {

  static final List<Entry> ALL =
      List.of(
          new Entry(
              "seed-design-hsqldb",
              place -> SeedDesign.onHsqldb(place, Hsqldb.DELAYED),
              Set.of(TAKES_FAILURES)),
          new Entry(
              "seed-design-hsqldb-durable",
              place -> SeedDesign.onHsqldb(place, Hsqldb.DURABLE),
              Set.of(SLOW, TAKES_FAILURES)),
          new Entry(
              "seed-design-postgresql",
              SeedDesign::onPostgresql,
              Set.of(SLOW, NEEDS_POSTGRESQL, TAKES_FAILURES)),
          new Entry("bare-append-same-bytes", BareAppend::open, Set.of()),
          new Entry("bare-loop-hsqldb", BareLoop::onHsqldb, Set.of(TAKES_TWO_STATEMENTS)),
          new Entry(
              "bare-loop-postgresql",
              BareLoop::onPostgresql,
              Set.of(NEEDS_POSTGRESQL, TAKES_TWO_STATEMENTS)),
          new Entry(
              "forebay-hsqldb",
              Forebay::onHsqldb,
              Set.of(TAKES_KAFKA, TAKES_TWO_STATEMENTS, TAKES_FAILURES)),
          new Entry(
              "forebay-hsqldb-runs",
              Forebay::onHsqldbWithRuns,
              Set.of(TAKES_KAFKA, TAKES_TWO_STATEMENTS, TAKES_FAILURES)),
          new Entry(
              "forebay-postgresql",
              Forebay::onPostgresql,
              Set.of(NEEDS_POSTGRESQL, TAKES_KAFKA, TAKES_TWO_STATEMENTS, TAKES_FAILURES)));

  private Contenders() {}

  /**
   * @throws UsageError if there is no contender with this name
   */
  static Entry named(String name) {
    return ALL.stream()
        .filter(it -> it.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new UsageError(
                "contender '%s' does not exist (known: %s)"
                    .formatted(name, ALL.stream().map(Entry::name).toList())));
  }
}
