/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.database.Dialect;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.queue.Fenced;
import io.forebay.service.progress.Disagreement;
import io.forebay.service.progress.Resumable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one partition, kept in the database that the statements change, in the same
 * transactions.
 *
 * <p>A partition is as far as its newest outcome says. The first statement of a transaction locks
 * the progress row, so it waits for an earlier transaction that is still open. It then reads the
 * epoch, which another instance raises when it takes over, and the newest outcome, which ends where
 * the batch must begin. The last statement inserts the outcome of the batch. If the answer to a
 * COMMIT was lost, the first statement of the next transaction shows whether the commit happened.
 * (The javadoc of Kafka's consumer describes this technique for offsets stored outside Kafka; here
 * an epoch is the fencing token.)
 *
 * <p>Implementation note: no batch updates a row. As long as a transaction anywhere on the server
 * is open, PostgreSQL keeps each version of a row, and each update walks over all of them. The lock
 * makes no version; outcomes are found from the upper end of their index, where nothing is deleted;
 * and a deletion begins where the one before ended. The benchmark {@code pinned} guards this.
 */
public final class Ledger {

  /** The prefix of the identity of a queue in memory, which ends with its process. */
  static final String MEMORY = "memory:";

  private static final String OF_PARTITION = " where service = ? and partition_id = ?";

  /** HSQLDB cannot lock a row that it reads; its updates leave no versions behind. */
  private static final String LOCK_IN_HSQLDB =
      "update forebay.progress set epoch = epoch" + OF_PARTITION;

  /** The progress row {@code p} with its newest outcome; reads one entry of the index. */
  private static final String PROGRESS =
      " from forebay.progress p, lateral (select to_position, last_position, last_checksum,"
          + " answered_position, pruned_position, attempts"
          + " from forebay.outcome o where o.service = p.service"
          + " and o.partition_id = p.partition_id and o.queue_id = p.queue_id"
          // HSQLDB uses the index for the whole key only
          + " order by o.service desc, o.partition_id desc, o.queue_id desc, o.to_position desc"
          + " limit 1) o where p.service = ?";

  private static final String ROWS =
      "select p.partition_id, p.queue_id, o.to_position, p.drained, o.answered_position" + PROGRESS;

  private static final String FIND =
      "select p.queue_id, o.to_position, p.epoch, p.owner, p.drained, o.last_position,"
          + " o.last_checksum, o.answered_position, o.pruned_position, o.attempts"
          + PROGRESS
          + " and p.partition_id = ?";

  /** Two statements in one round trip: the second one sees what was committed before the lock. */
  private static final String LOCK_AND_FIND =
      "select epoch from forebay.progress" + OF_PARTITION + " for no key update; " + FIND;

  private static final String CLAIM =
      "update forebay.progress set epoch = epoch + 1, drained = false, owner = ?" + OF_PARTITION;

  private static final String OF_QUEUE = OF_PARTITION + " and queue_id = ?";
  private static final String AT_POSITION = OF_QUEUE + " and to_position = ?";

  private static final String KEEP =
      "insert into forebay.outcome (service, partition_id, queue_id, to_position, from_position,"
          + " outcomes, checksum, last_position, last_checksum, answered_position,"
          + " pruned_position, attempts) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  private static final String KEPT =
      "select from_position, to_position, outcomes, checksum from forebay.outcome"
          + OF_QUEUE
          + " and to_position > ? and outcomes is not null"
          + " order by service, partition_id, queue_id, to_position limit 1";

  /** Describes this process to others. */
  private static final String OWNER =
      "pid %d since %s"
          .formatted(
              ProcessHandle.current().pid(),
              ProcessHandle.current()
                  .info()
                  .startInstant()
                  .map(Instant::toString)
                  .orElse("unknown"));

  private final String service;
  private final int partition;
  private long epoch;
  private String queueId = "";

  /** The end of the newest outcome, before the present transaction. */
  private long newest;

  /** The last message before that end. */
  private Resumable.@Nullable LastPerformed newestMessage;

  /** No outcome that ends before this position is there. */
  private long pruned;

  public Ledger(String service, int partition) {
    this.service = service;
    this.partition = partition;
  }

  /**
   * The progress row with its newest outcome.
   *
   * @param last null if it is not known
   * @param answered all before it has its result in the out-queue, safely
   * @param pruned no outcome that ends before this position is there
   * @param attempts how often a batch from here was begun but neither committed nor given up
   */
  public record Progress(
      String queueId,
      long next,
      long epoch,
      String owner,
      boolean drained,
      Resumable.@Nullable LastPerformed last,
      long answered,
      long pruned,
      int attempts) {}

  /**
   * The outcomes of one batch, and what is known at its end.
   *
   * @param from its first position
   * @param to the position behind it
   * @param checksum of the messages that they belong to, null if it is not known
   * @param last its last message, null if none of its messages has a statement
   * @param answered all before it has its result in the out-queue, safely
   */
  public record StoredBatch(
      long from,
      long to,
      byte[] outcomes,
      @Nullable Long checksum,
      Resumable.@Nullable LastPerformed last,
      long answered,
      int attempts) {}

  /** As {@link StoredBatch}, read again. */
  public record KeptBatch(long from, long to, byte[] outcomes, @Nullable Long checksum) {}

  /**
   * Takes over the partition: from now on, no other instance can move its progress. Waits for an
   * open transaction of the previous owner. The caller commits.
   *
   * @param first where a service that has never run begins
   */
  Progress claim(DatabaseSession session, String queue, long first) throws SQLException {
    Progress row = locked(session);
    if (session.update(CLAIM, OWNER, service, partition) == 0) {
      session.update(
          "insert into forebay.progress (service, partition_id, queue_id, epoch, owner, drained)"
              + " values (?, ?, ?, 1, ?, false)",
          service,
          partition,
          queue,
          OWNER);
      beginAt(session, queue, first);
      row = new Progress(queue, first, 0, OWNER, false, null, 0, 0, 0);
      newest = first;
    } else if (row == null) {
      throw missing();
    }
    epoch = row.epoch() + 1;
    queueId = row.queueId();
    return row;
  }

  /**
   * How far a partition is, whatever instance performs it.
   *
   * @param answered all before it has its result in the out-queue, safely
   */
  record Row(String queueId, long next, boolean drained, long answered) {}

  /** The rows of all partitions of a service. */
  static Map<Integer, Row> rows(Connection connection, String service) throws SQLException {
    Map<Integer, Row> rows = new HashMap<>();
    try (PreparedStatement select = connection.prepareStatement(ROWS)) {
      select.setString(1, service);
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          rows.put(
              row.getInt(1),
              new Row(row.getString(2), row.getLong(3), row.getBoolean(4), row.getLong(5)));
        }
      }
    }
    return rows;
  }

  /**
   * Replaces the drained queue by another one. The caller commits.
   *
   * @param first the first position of the other queue that is not known to be performed
   * @return the start position; later if the queue was used before and performed further
   */
  long adopt(DatabaseSession session, Progress former, String queue, long first)
      throws SQLException {
    forget(session, former.queueId());
    if (!former.queueId().startsWith(MEMORY)) {
      beginAt(session, former.queueId(), former.next());
    }
    session.update(
        "update forebay.progress set queue_id = ?" + OF_PARTITION, queue, service, partition);
    Progress there = find(session);
    newest = there == null ? first : Math.max(first, there.next());
    forget(session, queue);
    beginAt(session, queue, newest);
    queueId = queue;
    return newest;
  }

  /** Keeps where a queue begins, or how far it was performed before another one replaced it. */
  private void beginAt(DatabaseSession session, String queue, long position) throws SQLException {
    session.update(
        "insert into forebay.outcome (service, partition_id, queue_id, to_position)"
            + " values (?, ?, ?, ?)",
        service,
        partition,
        queue,
        position);
  }

  private void forget(DatabaseSession session, String queue) throws SQLException {
    session.update("delete from forebay.outcome" + OF_QUEUE, service, partition, queue);
  }

  /**
   * Begins a transaction: locks the progress row until its end.
   *
   * @return the first position that was not performed
   * @throws Fenced if another instance has taken over
   * @throws Disagreement if the row is older than this instance's claim
   */
  public long begin(DatabaseSession session) throws SQLException {
    return ours(locked(session));
  }

  /**
   * As {@link #begin}, on PostgreSQL and in the same round trip as an update that follows it. If an
   * exception is thrown, the caller must roll back.
   *
   * @return how many rows the update changed
   */
  public int beginWith(DatabaseSession session, String update, Object... arguments)
      throws SQLException {
    List<Object> all = new ArrayList<>(List.of(service, partition, service, partition));
    Collections.addAll(all, arguments);
    PreparedStatement both = session.bind(LOCK_AND_FIND + "; " + update, all.toArray());
    ours(locked(both));
    both.getMoreResults();
    return both.getUpdateCount();
  }

  private long ours(@Nullable Progress row) {
    if (row == null) {
      throw missing();
    }
    if (row.epoch() < epoch) {
      throw older("epoch", epoch, row.epoch());
    }
    if (row.epoch() != epoch) {
      throw new Fenced(
          "partition %d of service %s was taken over by %s (epoch=%d, ours=%d)"
              .formatted(partition, service, row.owner(), row.epoch(), epoch),
          null);
    }
    return row.next();
  }

  /**
   * Compares the progress, as {@link #begin} found it.
   *
   * @param position the first position that was not performed, as far as this instance knows
   * @throws Disagreement if it is another one
   */
  public void mustBeAt(long position) {
    if (newest < position) {
      throw older("progress", position, newest);
    }
    if (newest > position) {
      throw new Disagreement(
          ("the progress of partition %d of service %s is %,d but must be %,d, and no other instance"
                  + " has taken over; check whether forebay.outcome was changed by hand")
              .formatted(partition, service, newest, position));
    }
  }

  private Disagreement older(String what, long before, long now) {
    return new Disagreement(
        ("partition %d of service %s: the database returned to an older state (its %s is %,d, it was"
                + " %,d), as after a restore or a failover to a lagging standby; nothing is accepted or"
                + " performed until an operator decides, see docs/operations.md, \"The database returned"
                + " to an older state\"")
            .formatted(partition, service, what, now, before));
  }

  /** The progress row, locked, as the last transaction that had the lock left it. */
  private @Nullable Progress locked(DatabaseSession session) throws SQLException {
    if (session.dialect() == Dialect.HSQLDB) {
      session.update(LOCK_IN_HSQLDB, service, partition);
      return found(find(session));
    }
    return locked(session.bind(LOCK_AND_FIND, service, partition, service, partition));
  }

  private @Nullable Progress locked(PreparedStatement lock) throws SQLException {
    lock.execute();
    lock.getMoreResults();
    return found(progress(lock.getResultSet()));
  }

  private @Nullable Progress found(@Nullable Progress row) {
    if (row != null) {
      newest = row.next();
      newestMessage = row.last();
      pruned = row.pruned();
    }
    return row;
  }

  /**
   * Stores the position before which results are in the out-queue; earlier outcomes are not needed.
   */
  public void answered(DatabaseSession session, long position) throws SQLException {
    begin(session);
    amend(session, "answered_position = ?", position);
    prune(session, position);
  }

  /**
   * Stores how often a batch from {@code next} was begun, unless that batch was committed
   * meanwhile. The caller commits.
   */
  public void attempts(DatabaseSession session, long next, int attempts) throws SQLException {
    if (begin(session) == next) {
      amend(session, "attempts = ?", attempts);
    }
  }

  /** Stores that everything was performed and answered. The caller commits. */
  public void drained(DatabaseSession session) throws SQLException {
    answered(session, begin(session));
    session.update("update forebay.progress set drained = true" + OF_PARTITION, service, partition);
  }

  /** Changes the newest outcome. */
  private void amend(DatabaseSession session, String assignment, Object value) throws SQLException {
    session.update(
        "update forebay.outcome set " + assignment + AT_POSITION,
        value,
        service,
        partition,
        queueId,
        newest);
  }

  public void keep(DatabaseSession session, StoredBatch batch) throws SQLException {
    session.update(KEEP, values(batch));
  }

  /** Keeps them and commits, see {@link DatabaseSession#commitWith}. */
  public void keepAndCommit(DatabaseSession session, StoredBatch batch) throws SQLException {
    session.commitWith(KEEP, values(batch));
  }

  private @Nullable Object[] values(StoredBatch batch) {
    Resumable.LastPerformed last = batch.last() == null ? newestMessage : batch.last();
    return new @Nullable Object[] {
      service,
      partition,
      queueId,
      batch.to(),
      batch.from(),
      batch.outcomes(),
      batch.checksum(),
      last == null ? null : last.position(),
      last == null ? null : last.checksum(),
      batch.answered(),
      pruned,
      batch.attempts()
    };
  }

  /** The first batch that ends behind a position, if its outcomes are kept. */
  public @Nullable KeptBatch kept(DatabaseSession session, long position) throws SQLException {
    try (ResultSet row = session.query(KEPT, service, partition, queueId, position)) {
      return row.next()
          ? new KeptBatch(
              row.getLong(1), row.getLong(2), row.getBytes(3), row.getObject(4, Long.class))
          : null;
    }
  }

  /** Deletes outcomes whose results are all before {@code position}, except the newest one. */
  public void prune(DatabaseSession session, long position) throws SQLException {
    long from = pruned;
    pruned = Math.min(position + 1, newest);
    session.update(
        "delete from forebay.outcome" + OF_QUEUE + " and to_position >= ? and to_position < ?",
        service,
        partition,
        queueId,
        from,
        pruned);
  }

  private Disagreement missing() {
    return new Disagreement(
        ("the progress of partition %d of service %s is missing: forebay.progress has no row of it,"
                + " or forebay.outcome none of its queue; check whether they were changed by hand")
            .formatted(partition, service));
  }

  private @Nullable Progress find(DatabaseSession session) throws SQLException {
    return progress(session.query(FIND, service, partition));
  }

  private static @Nullable Progress progress(ResultSet found) throws SQLException {
    try (ResultSet row = found) {
      return row.next()
          ? new Progress(
              row.getString(1),
              row.getLong(2),
              row.getLong(3),
              row.getString(4),
              row.getBoolean(5),
              last(row),
              row.getLong(8),
              row.getLong(9),
              row.getInt(10))
          : null;
    }
  }

  private static Resumable.@Nullable LastPerformed last(ResultSet row) throws SQLException {
    Long position = row.getObject(6, Long.class);
    Long checksum = row.getObject(7, Long.class);
    return position == null || checksum == null
        ? null
        : new Resumable.LastPerformed(position, checksum);
  }
}
