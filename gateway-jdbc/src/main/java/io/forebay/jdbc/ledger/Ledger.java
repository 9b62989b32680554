/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.service.Fenced;
import io.forebay.service.progress.Disagreement;
import io.forebay.service.progress.Resumable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one partition, kept in the database that the statements change, in the same
 * transactions.
 *
 * <p>Each batch moves the progress row by compare-and-set, in the first statement of its
 * transaction. This locks the row, so it waits for an earlier transaction that is still open. It
 * fails if another instance has raised the epoch. If the answer to a COMMIT was lost, repeating it
 * shows whether the commit happened. (The javadoc of Kafka's consumer describes this technique for
 * offsets stored outside Kafka; here an epoch is the fencing token.)
 */
public final class Ledger {

  /** The prefix of the identity of a queue in memory, which ends with its process. */
  static final String MEMORY = "memory:";

  private static final String ADVANCE =
      "update forebay.progress set next_position = ?, last_position = ?, last_checksum = ?,"
          + " answered_position = ?, attempts = ?"
          + " where service = ? and partition_id = ? and epoch = ? and next_position = ?";

  private static final String KEEP =
      "insert into forebay.outcome"
          + " (service, partition_id, to_position, from_position, outcomes, checksum)"
          + " values (?, ?, ?, ?, ?, ?)";

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

  public Ledger(String service, int partition) {
    this.service = service;
    this.partition = partition;
  }

  /**
   * The progress row.
   *
   * @param last null if it is not known
   * @param answered all before it has its result in the out-queue, safely
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
      int attempts) {}

  /**
   * Where a batch moves the progress to.
   *
   * @param last its last message, null if it is not known
   * @param answered all before it has its result in the out-queue, safely
   */
  public record Step(
      long from, long to, Resumable.@Nullable LastPerformed last, long answered, int attempts) {}

  /**
   * The outcomes of one batch.
   *
   * @param from its first position
   * @param to the position behind it
   * @param checksum of the messages that they belong to, null if it is not known
   */
  public record StoredBatch(long from, long to, byte[] outcomes, @Nullable Long checksum) {}

  /**
   * Takes over the partition: from now on, no other instance can move its progress. Waits for an
   * open transaction of the previous owner. The caller commits.
   *
   * @param first where a service that has never run begins
   */
  Progress claim(DatabaseSession session, String queueId, long first) throws SQLException {
    PreparedStatement raise =
        session.prepare(
            "update forebay.progress set epoch = epoch + 1, owner = ?, drained = false"
                + " where service = ? and partition_id = ?");
    Progress before = find(session);
    raise.setString(1, OWNER);
    place(raise, 2);
    if (raise.executeUpdate() == 0) {
      PreparedStatement insert =
          session.prepare(
              "insert into forebay.progress"
                  + " (service, partition_id, queue_id, next_position, epoch, owner, drained)"
                  + " values (?, ?, ?, ?, 1, ?, false)");
      int next = place(insert, 1);
      insert.setString(next, queueId);
      insert.setLong(next + 1, first);
      insert.setString(next + 2, OWNER);
      insert.executeUpdate();
    }
    Progress claimed = read(session);
    epoch = claimed.epoch();
    boolean drained = before != null && before.drained();
    return new Progress(
        claimed.queueId(),
        claimed.next(),
        claimed.epoch(),
        claimed.owner(),
        drained,
        claimed.last(),
        claimed.answered(),
        claimed.attempts());
  }

  /**
   * A partition of at least that number which may have unperformed statements; ignores queues in
   * memory.
   */
  OptionalInt undrainedFrom(DatabaseSession session, int partitions) throws SQLException {
    PreparedStatement select =
        session.prepare(
            "select min(partition_id) from forebay.progress"
                + " where service = ? and partition_id >= ? and not drained"
                + " and queue_id not like 'memory:%'");
    select.setString(1, service);
    select.setInt(2, partitions);
    try (ResultSet row = select.executeQuery()) {
      row.next();
      int found = row.getInt(1);
      return row.wasNull() ? OptionalInt.empty() : OptionalInt.of(found);
    }
  }

  /**
   * Replaces the drained queue by another one. The caller commits.
   *
   * @param first the first position of the other queue that is not known to be performed
   * @return the start position; later if the queue was used before and performed further
   */
  long adopt(DatabaseSession session, Progress former, String queueId, long first)
      throws SQLException {
    FormerQueues queues = new FormerQueues(service, partition, session);
    long next = Math.max(first, queues.performed(queueId));
    if (!former.queueId().startsWith(MEMORY)) {
      queues.remember(former.queueId(), former.next());
    }
    update(
        session,
        "queue_id = ?, next_position = ?,"
            + " last_position = null, last_checksum = null, answered_position = null",
        queueId,
        next);
    prune(session, Long.MAX_VALUE);
    return next;
  }

  /**
   * The compare-and-set. Returns false if the row does not have the start position of the batch and
   * our epoch.
   */
  public boolean advance(DatabaseSession session, Step step) throws SQLException {
    PreparedStatement update = session.prepare(ADVANCE);
    update.setLong(1, step.to());
    Resumable.LastPerformed last = step.last();
    update.setObject(2, last == null ? null : last.position(), Types.BIGINT);
    update.setObject(3, last == null ? null : last.checksum(), Types.BIGINT);
    update.setLong(4, step.answered());
    update.setInt(5, step.attempts());
    int next = place(update, 6);
    update.setLong(next, epoch);
    update.setLong(next + 1, step.from());
    return update.executeUpdate() == 1;
  }

  /**
   * Stores the position before which results are in the out-queue; earlier outcomes are not needed.
   */
  public void answered(DatabaseSession session, long position) throws SQLException {
    update(session, "answered_position = ?", position);
    prune(session, position);
  }

  /** Stores how often a batch was begun. The caller commits. */
  public void attempts(DatabaseSession session, int attempts) throws SQLException {
    update(session, "attempts = ?", attempts);
  }

  /** Stores that everything was performed and answered. The caller commits. */
  public void drained(DatabaseSession session) throws SQLException {
    update(session, "drained = true, answered_position = next_position");
  }

  /**
   * Finds out why a compare-and-set matched no row.
   *
   * @return the row, which is ours
   * @throws Fenced if another instance has taken over
   * @throws Disagreement if the row is older than this instance's last commit
   */
  public Progress verifyEpoch(DatabaseSession session) throws SQLException {
    Progress row = read(session);
    if (row.epoch() < epoch) {
      throw new Disagreement(
          ("partition %d of service %s: the database returned to an older state (it"
                  + " had epoch %,d, it now has %,d), as after a restore or a failover to a lagging standby;"
                  + " nothing is accepted or performed until an operator decides, see"
                  + " docs/operations.md, \"The database returned to an older state\"")
              .formatted(partition, service, epoch, row.epoch()));
    }
    if (row.epoch() != epoch) {
      throw new Fenced(
          "partition %d of service %s was taken over by %s (epoch=%d, ours=%d)"
              .formatted(partition, service, row.owner(), row.epoch(), epoch));
    }
    return row;
  }

  public void keep(DatabaseSession session, StoredBatch batch) throws SQLException {
    PreparedStatement insert = session.prepare(KEEP);
    bind(insert, batch);
    insert.executeUpdate();
  }

  /** Keeps them and commits, see {@link DatabaseSession#commitWith}. */
  public void keepAndCommit(DatabaseSession session, StoredBatch batch) throws SQLException {
    session.commitWith(KEEP, insert -> bind(insert, batch));
  }

  private void bind(PreparedStatement insert, StoredBatch batch) throws SQLException {
    int next = place(insert, 1);
    insert.setLong(next, batch.to());
    insert.setLong(next + 1, batch.from());
    insert.setBytes(next + 2, batch.outcomes());
    insert.setObject(next + 3, batch.checksum(), Types.BIGINT);
  }

  /** The batches that contain a position after {@code position}, in order. */
  Deque<StoredBatch> keptBehind(DatabaseSession session, long position) throws SQLException {
    PreparedStatement select =
        session.prepare(
            "select from_position, to_position, outcomes, checksum from forebay.outcome"
                + " where service = ? and partition_id = ? and to_position > ?"
                + " order by to_position");
    select.setLong(place(select, 1), position + 1);
    Deque<StoredBatch> kept = new ArrayDeque<>();
    try (ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        kept.add(
            new StoredBatch(
                rows.getLong(1), rows.getLong(2), rows.getBytes(3), rows.getObject(4, Long.class)));
      }
    }
    return kept;
  }

  /** Deletes outcomes whose results are all before {@code position}. */
  public void prune(DatabaseSession session, long position) throws SQLException {
    PreparedStatement delete =
        session.prepare(
            "delete from forebay.outcome"
                + " where service = ? and partition_id = ? and to_position <= ?");
    delete.setLong(place(delete, 1), position);
    delete.executeUpdate();
  }

  private Progress read(DatabaseSession session) throws SQLException {
    Progress row = find(session);
    if (row == null) {
      throw new IllegalStateException(
          "the progress row of partition %d of service %s is missing from forebay.progress"
              .formatted(partition, service));
    }
    return row;
  }

  private @Nullable Progress find(DatabaseSession session) throws SQLException {
    PreparedStatement select =
        session.prepare(
            "select queue_id, next_position, epoch, owner, drained, last_position, last_checksum,"
                + " answered_position, attempts from forebay.progress"
                + " where service = ? and partition_id = ?");
    place(select, 1);
    try (ResultSet row = select.executeQuery()) {
      return row.next()
          ? new Progress(
              row.getString(1),
              row.getLong(2),
              row.getLong(3),
              row.getString(4),
              row.getBoolean(5),
              last(row),
              row.getLong(8),
              row.getInt(9))
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

  private int place(PreparedStatement statement, int index) throws SQLException {
    statement.setString(index, service);
    statement.setInt(index + 1, partition);
    return index + 2;
  }

  /**
   * Changes the progress row, and only if it has our epoch.
   *
   * @param assignments SQL with a placeholder for each value
   */
  private void update(DatabaseSession session, String assignments, Object... values)
      throws SQLException {
    PreparedStatement update =
        session.prepare(
            "update forebay.progress set "
                + assignments
                + " where service = ? and partition_id = ? and epoch = ?");
    for (int i = 0; i < values.length; i++) {
      update.setObject(i + 1, values[i]);
    }
    update.setLong(place(update, values.length + 1), epoch);
    if (update.executeUpdate() != 1) {
      verifyEpoch(session);
    }
  }
}
