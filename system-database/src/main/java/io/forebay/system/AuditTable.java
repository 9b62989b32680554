/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import io.forebay.text.Formats;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The audit in the system database. Thread-safe. */
final class AuditTable implements Audit, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(AuditTable.class);
  private static final Duration BEFORE_THE_FIRST_DELETION = Duration.ofMinutes(1);

  /** The maximum number of entries deleted in one transaction. */
  private static final int DELETED_AT_ONCE = 10_000;

  /** How often an entry is tried whose number another instance took. */
  private static final int MOST_TRIES = 100;

  /** Of the newest entries only, so that a search that finds few does not read the whole table. */
  private static final String COMMANDS =
      " and (outcome like 'allowed%' or outcome like 'failed: %' or outcome like 'refused: already%'"
          + " or action = 'failures.replay.result')"
          + " and action not like 'session.%'"
          + " and action not like '%.values' and action <> 'user.password'"
          + " and action not like 'audit.%'"
          + " and id > (select coalesce(max(id), 0) from forebay.audit) - 10000";

  private static final String SELECT =
      "select id, chain_number, chain_hash, " + AuditRow.COLUMNS + " from forebay.audit where ";

  private final SystemDatabase database;
  private final InstantSource clock;
  private final Duration kept;
  private final BackgroundTask retention =
      new BackgroundTask(
          "forebay-audit-retention",
          Duration.ofHours(1),
          new Outage(
              log,
              "Deletion of expired audit entries, and the check of the others,",
              "it is retried every hour"),
          this::maintain);

  /** Held while an entry is written: the next one needs its hash. */
  private final ReentrantLock writing = new ReentrantLock();

  private final AuditHead head;
  private List<Finding> reported = List.of();

  AuditTable(SystemDatabase database, Duration kept, InstantSource clock) {
    this(database, kept, clock, null);
  }

  /**
   * @param directory keeps which entry was the last one; null: it is known until the process ends
   */
  AuditTable(
      SystemDatabase database, Duration kept, InstantSource clock, @Nullable Path directory) {
    this.database = database;
    this.clock = clock;
    this.kept = kept;
    head = new AuditHead(directory);
  }

  /** Starts to delete expired entries. */
  void start() {
    retention.start(BEFORE_THE_FIRST_DELETION);
  }

  private void maintain() {
    deleteExpired();
    reportDamage();
  }

  /** Logs what is wrong with the chain, once. */
  private void reportDamage() {
    List<Finding> findings = check().findings();
    if (!findings.isEmpty() && !findings.equals(reported)) {
      report(findings);
    }
    reported = findings;
  }

  private static void report(List<Finding> findings) {
    log.error(
        "Audit was changed in the database: {}{}; compare with the lines of logger"
            + " io.forebay.audit that you collected",
        findings.getFirst().text(),
        findings.size() == 1 ? "" : ", and %d more".formatted(findings.size() - 1));
  }

  private void deleteExpired() {
    long deleted = deleteBefore(clock.instant().minus(kept));
    if (deleted > 0) {
      log.info(
          "Audit entries deleted: {} entries were older than {}", deleted, Formats.duration(kept));
    }
  }

  @Override
  public void close() {
    retention.close(Duration.ZERO);
  }

  @Override
  public void record(Entry entry) {
    AuditRow row = AuditRow.of(clock.instant(), entry);
    Link link;
    lock();
    try {
      link = append(row);
      head.take(link);
    } finally {
      writing.unlock();
    }
    AuditLog.write(row, link);
  }

  /** Waits no longer than for a connection, so that commands do not queue behind a stall. */
  private void lock() {
    try {
      if (!writing.tryLock(SystemDatabase.WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new Unavailable(
            "another entry of the audit is being written (limit=%d s)"
                .formatted(SystemDatabase.WAIT.toSeconds()),
            null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Unavailable("interrupted before the entry of the audit was written", e);
    }
  }

  /**
   * Appends an entry to the chain by one statement, so that no instance waits for another that
   * stalls in a transaction. The database refuses a number that exists: then another instance was
   * faster.
   */
  private Link append(AuditRow row) {
    for (int i = 0; i < MOST_TRIES; i++) {
      Link link = row.after(newest());
      try {
        database.command(ask -> insert(ask, row, link));
        return link;
      } catch (DataIntegrityViolationException e) {
        if (database.command(AuditTable::last).number() < link.number()) {
          throw e; // it was not for the number
        }
      }
    }
    throw new Unavailable(
        "other instances write to the audit too fast (limit=%d tries)".formatted(MOST_TRIES), null);
  }

  /**
   * The newest entry: of the database, or the one that this instance knows if the database has no
   * later one. So an instance that forgot it does not use the numbers of expired entries again; and
   * if the newest entries were deleted, or the known one was replaced, the next one does not follow
   * them, which shows.
   */
  private Link newest() {
    Link known = head.known();
    Link last = database.command(AuditTable::last);
    if (!last.equals(known)) {
      database
          .command(ask -> last(ask, known.number()))
          .filter(it -> it.number() == known.number() && !it.equals(known))
          .ifPresent(it -> report(List.of(new Finding(it.number(), it.number(), Damage.REPLACED))));
      head.take(last);
    }
    return head.known();
  }

  private static int insert(JdbcClient ask, AuditRow row, Link link) {
    return ask.sql(
            "insert into forebay.audit ("
                + AuditRow.COLUMNS
                + ", chain_number, chain_hash)"
                + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .param(time(row.at()))
        .params(row.texts())
        .param(row.entry().change().lines())
        .param(row.entry().change().undoes())
        .param(link.number())
        .param(HexFormat.of().parseHex(link.hash()))
        .update();
  }

  private static Link last(JdbcClient ask) {
    return last(ask, Long.MAX_VALUE).orElse(Link.NONE);
  }

  /** The last entry up to a number. */
  private static Optional<Link> last(JdbcClient ask, long number) {
    return ask.sql(
            "select chain_number, chain_hash from forebay.audit where chain_number <= ?"
                + " order by chain_number desc fetch first 1 row only")
        .param(number)
        .query((row, _) -> link(row))
        .optional()
        .map(Objects::requireNonNull);
  }

  private static @Nullable Link link(ResultSet row) throws SQLException {
    long number = row.getLong("chain_number");
    return row.wasNull() ? null : AuditChain.link(number, row.getBytes("chain_hash"));
  }

  @Override
  public Check check() {
    AuditChain.Checked checked = AuditChain.check(database, head.known());
    if (checked.check().isIntact() && writing.tryLock()) { // a writer takes a later one itself
      try {
        head.take(checked.last());
      } finally {
        writing.unlock();
      }
    }
    return checked.check();
  }

  @Override
  public Optional<Recorded> find(long number) {
    return database.ask(ask ->
        ask.sql(SELECT + "chain_number = ?")
            .param(number)
            .query((row, _) -> recorded(row))
            .optional());
  }

  @Override
  public List<Recorded> before(long before, int limit, Filter filter) {
    List<Object> parameters = new ArrayList<>(List.of(before));
    String where = "";
    if (filter.actor() != null) {
      where += " and actor = ?";
      parameters.add(filter.actor());
    }
    if (filter.action() != null) {
      where += " and substring(action from 1 for " + filter.action().length() + ") = ?";
      parameters.add(filter.action());
    }
    if (filter.commands()) {
      where += COMMANDS;
    }
    String sql =
        SELECT + "id < ?" + where + " order by id desc fetch first " + limit + " rows only";
    return database.ask(
        ask -> ask.sql(sql).params(parameters).query((row, _) -> recorded(row)).list());
  }

  /**
   * Deletes entries older than this time and returns their number. Of the chain it deletes the
   * first ones up to the first that is younger, after an entry that says so.
   */
  long deleteBefore(Instant time) {
    long deleted = 0;
    Link expired = AuditChain.expired(database);
    Optional<Link> last = database.ask(ask -> last(ask, lastBefore(ask, expired, time)));
    if (last.isPresent()) {
      record(AuditChain.expiry(last.get()));
      long number = last.get().number();
      long from = database.ask(AuditTable::firstNumber);
      for (; from <= number; from += DELETED_AT_ONCE) {
        long to = Math.min(number, from + DELETED_AT_ONCE - 1);
        deleted +=
            database.ask(ask ->
                ask.sql("delete from forebay.audit where chain_number <= ?").param(to).update());
      }
    }
    return deleted + deleteUnnumbered(time);
  }

  /**
   * The number before the first entry that is not older than this time. Those that expired before
   * do not count: if they still exist, they are deleted too.
   */
  private static long lastBefore(JdbcClient ask, Link expired, Instant time) {
    return ask.sql(
            "select chain_number from forebay.audit where chain_number > ?"
                + " and created_at >= ? order by chain_number fetch first 1 row only")
        .param(expired.number())
        .param(time(time))
        .query((row, _) -> row.getLong(1) - 1)
        .optional()
        .orElse(Long.MAX_VALUE);
  }

  private static long firstNumber(JdbcClient ask) {
    return ask.sql("select coalesce(min(chain_number), 1) from forebay.audit")
        .query((row, _) -> row.getLong(1))
        .single();
  }

  /** Entries of older versions. */
  private long deleteUnnumbered(Instant time) {
    long first = end("min", time);
    long last = end("max", time);
    long deleted = 0;
    for (long from = first; from <= last; from += DELETED_AT_ONCE) {
      long to = from + DELETED_AT_ONCE;
      deleted +=
          database.ask(ask ->
              ask.sql(
                      "delete from forebay.audit"
                          + " where id < ? and created_at < ? and chain_number is null")
                  .param(to)
                  .param(time(time))
                  .update());
    }
    return deleted;
  }

  /** The first or last id of the entries before a time; ids start at 1. */
  private long end(String which, Instant time) {
    String none = which.equals("min") ? "1" : "0";
    return database.ask(ask ->
        ask.sql(
                "select coalesce("
                    + which
                    + "(id), "
                    + none
                    + ") from forebay.audit where created_at < ? and chain_number is null")
            .param(time(time))
            .query((row, _) -> row.getLong(1))
            .single());
  }

  private static OffsetDateTime time(Instant instant) {
    return OffsetDateTime.ofInstant(instant, ZoneOffset.UTC);
  }

  private static Recorded recorded(ResultSet row) throws SQLException {
    AuditRow read = AuditRow.read(row);
    return new Recorded(row.getLong("id"), read.at(), read.entry(), link(row));
  }
}
