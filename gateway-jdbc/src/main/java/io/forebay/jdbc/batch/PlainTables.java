/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.sql.PlainInsert;
import io.forebay.jdbc.statement.DatabaseSession;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the PostgreSQL tables for which one INSERT of many rows has the same effect as many INSERTs
 * of one row. For one session.
 *
 * <p>A table is plain if an INSERT runs no user code, and nothing that it runs can distinguish one
 * statement from many: the table has no trigger, rule, row security policy, partition or foreign
 * key to itself; its defaults, constraints and indexes use only functions of PostgreSQL whose value
 * does not depend on the statement; and no unique index or exclusion has a column whose default is
 * the same in the whole transaction, as {@code now()} is. In doubt, a table is not plain. For an
 * insert that updates on conflict, the table also has no trigger for updates, no other unique index
 * or exclusion than the key, and no foreign key refers to it.
 *
 * <p>The catalogue is read once per statement text. Afterwards a <em>guard</em>, a condition in the
 * INSERT itself, checks that the table has not changed. It cannot miss a change: the INSERT locks
 * the table before it takes its snapshot, and the lock conflicts with every change of the table, so
 * the snapshot contains every change committed before. The guard reads few catalogues, because each
 * costs as much as some rows: {@code pg_depend} has a row for each trigger, rule, default,
 * constraint and index of a table, and for each type of its columns that is not one of
 * PostgreSQL's. So a table whose dependencies are all known has none of these that is new.
 */
final class PlainTables {

  /** How many uses of a table that is not plain before the catalogue is read again. */
  private static final int LOOK_AGAIN_AFTER = 1_000;

  private static final int MAX_TEXTS = 1_000;

  /** {@code c} is the row of {@code pg_class}; no dependency says this. */
  private static final String FLAGS =
      """
      c.relkind = 'r' and not c.relispartition and not c.relrowsecurity
      """;

  private static final String NO_TRIGGER =
      """
      and not exists (select from pg_catalog.pg_trigger t
        where t.tgrelid = c.oid and not t.tgisinternal and t.tgtype & %d <> 0)
      """;

  /** The bits of {@code tgtype}. */
  private static final int INSERTS = 4;

  private static final int INSERTS_AND_UPDATES = 4 + 16;

  private static final String ONE_KEY =
      """
      and (select count(*) from pg_catalog.pg_index i
        where i.indrelid = c.oid and (i.indisunique or i.indisexclusion)) = 1
      and not exists (select from pg_catalog.pg_constraint k
        where k.confrelid = c.oid and k.contype = 'f')
      """;

  private static final String NO_CAST =
      """
      and not exists (select from pg_catalog.pg_cast k where k.oid >= 16384 and k.castmethod = 'f'
        and k.castcontext <> 'e' and k.castsource in (16, 20, 700, 701, 1043, 1700, 2950))
      """;

  /** The checks that need no expressions. */
  private static final String SHAPE =
      FLAGS
          + NO_CAST
          + """
          and not (c.relhasrules
            and exists (select from pg_catalog.pg_rewrite r where r.ev_class = c.oid))
          and not exists (select from pg_catalog.pg_constraint k
            where k.conrelid = c.oid and k.contype = 'f' and k.confrelid = c.oid)
          """;

  private static final String OWN_TYPES =
      """
      (select a.atttypid from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and a.atttypid >= 16384)
      """;

  /** What depends on the table. */
  private static final String DEPENDENTS =
      "d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid = c.oid";

  /** What the table depends on. */
  private static final String NEEDS =
      "d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = c.oid";

  /**
   * Reads functions from the stored expressions, because {@code pg_depend} lacks those of
   * PostgreSQL itself (OIDs below 16384). The functions listed are not immutable, but constant
   * within a transaction or called once per row in order.
   */
  private static final String LOOKUP =
      """
      select %1$s
        and not exists (select from pg_catalog.pg_type y
          where y.oid in %2$s and y.typtype not in ('b', 'e'))
        and not exists (
          select from (
            select d.adbin::text from pg_catalog.pg_attrdef d where d.adrelid = c.oid
            union all
            select k.conbin::text from pg_catalog.pg_constraint k
              where k.conrelid = c.oid and k.contype = 'c'
            union all
            select concat(i.indexprs::text, i.indpred::text) from pg_catalog.pg_index i
              where i.indrelid = c.oid and (i.indexprs is not null or i.indpred is not null)
          ) as expression (tree), pg_catalog.regexp_matches(
            tree, ':(resulttype|(?:op)?funcid) (\\d+)', 'g') as named (part)
          where part[1] = 'resulttype' and part[2]::oid >= 16384
            or part[1] <> 'resulttype' and not exists (select from pg_catalog.pg_proc p
              where p.oid = part[2]::oid and (
                p.provolatile = 'i' and (p.oid < 16384 or p.prolang = 13)
                or p.oid < 16384 and p.proname in ('now', 'transaction_timestamp',
                  'clock_timestamp', 'nextval', 'random', 'gen_random_uuid', 'uuidv4', 'uuidv7',
                  'date', 'time', 'timetz', 'timestamp', 'timestamptz', 'timezone', 'to_char',
                  'timestamptz_pl_interval', 'timestamptz_mi_interval', 'timestamptz_date',
                  'timestamptz_time', 'timestamptz_timestamp', 'date_timestamptz'))))
        and not exists (
          select from pg_catalog.pg_index i, pg_catalog.pg_attrdef d
          where i.indrelid = c.oid and d.adrelid = c.oid and (i.indisunique or i.indisexclusion)
            and (d.adnum = any (i.indkey) or i.indexprs is not null or i.indpred is not null
              or exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid
                and a.attnum = any (i.indkey) and a.attgenerated <> ''))
            and (d.adbin::text ~ 'SQLVALUEFUNCTION|COERCEVIAIO'
              or exists (select from pg_catalog.regexp_matches(
                  d.adbin::text, ':(?:op)?funcid (\\d+)', 'g') as called (part),
                  pg_catalog.pg_proc p
                where p.oid = part[1]::oid and p.provolatile = 's')))
        as plain,
        exists (select from pg_catalog.pg_trigger t
          where t.tgrelid = c.oid and not t.tgisinternal) as triggers,
        array(select distinct d.objid from pg_catalog.pg_depend d where %3$s)::text as dependents,
        array(select distinct d.refobjid from pg_catalog.pg_depend d where %4$s)::text as needs
      from pg_catalog.pg_class c where c.oid = pg_catalog.to_regclass(?)
      """;

  /**
   * Nothing was added since the catalogue was read. Only a trigger can be replaced and stay the
   * same object, so the triggers of a table that has some are read again.
   */
  private static final String GUARD =
      """
      (select %s%s%s
      and not exists (select from pg_catalog.pg_depend d where %s and d.objid <> all ('%s'))
      and not exists (select from pg_catalog.pg_depend d where %s and d.refobjid <> all ('%s'))
      from pg_catalog.pg_class c where c.oid = '%s'::pg_catalog.regclass)
      """;

  private final DatabaseSession session;

  private final Map<PlainInsert, Verdict> verdicts = new HashMap<>();

  PlainTables(DatabaseSession session) {
    this.session = session;
  }

  /** The result of a lookup, and how often it was used. */
  private static final class Verdict {

    final @Nullable String guard;
    int asked;

    Verdict(@Nullable String guard) {
      this.guard = guard;
    }
  }

  /**
   * The guard of a table: a condition that is true as long as it is plain; in a WHERE clause it
   * keeps all rows or none. Null if the table is not plain.
   */
  @Nullable String find(PlainInsert insert) throws SQLException {
    Verdict verdict = verdicts.get(insert);
    if (verdict == null || (verdict.guard == null && ++verdict.asked > LOOK_AGAIN_AFTER)) {
      verdict = new Verdict(lookUp(insert));
      if (verdicts.size() >= MAX_TEXTS) {
        verdicts.clear();
      }
      verdicts.put(insert, verdict);
    }
    return verdict.guard;
  }

  /** The guard rejected all rows: the catalogue must be read again. */
  void changed(PlainInsert insert) {
    verdicts.remove(insert);
  }

  private @Nullable String lookUp(PlainInsert insert) throws SQLException {
    boolean updates = !insert.key().isEmpty();
    String noTrigger = NO_TRIGGER.formatted(updates ? INSERTS_AND_UPDATES : INSERTS);
    String shape = SHAPE + noTrigger + (updates ? ONE_KEY : "");
    PreparedStatement select =
        session.prepare(LOOKUP.formatted(shape, OWN_TYPES, DEPENDENTS, NEEDS));
    select.setString(1, insert.table());
    try (ResultSet row = select.executeQuery()) {
      if (!row.next() || !row.getBoolean("plain")) {
        return null;
      }
      return GUARD.formatted(
          FLAGS,
          row.getBoolean("triggers") ? noTrigger : "",
          NO_CAST,
          DEPENDENTS,
          row.getString("dependents"),
          NEEDS,
          row.getString("needs"),
          insert.table().replace("'", "''"));
    }
  }
}
