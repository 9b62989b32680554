/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.DiskSpace;
import io.forebay.machine.Machine;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueRefused.Reason;
import io.forebay.queue.QueueStats;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a partition accepts messages, and if not, why. A failed partition stays failed until it
 * is opened again. Thread-safe.
 */
final class Health {

  /**
   * Why the consumer requires that messages be refused.
   *
   * @param why the reason, for the caller that appends
   * @param retryAfter when a retry makes sense; zero if never
   */
  private record Objection(String why, Duration retryAfter, QueueStats.Refusal refusal) {}

  private static final Duration RETRY = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(Health.class);

  private final String name;
  private final DiskSpace space;
  private volatile QueueStats.@Nullable Refusal refusal;
  private volatile QueueStats.@Nullable Damage damage;
  private volatile @Nullable Objection objection;
  private volatile long lostBefore;

  Health(String name, DiskSpace space) {
    this.name = name;
    this.space = space;
  }

  /** Why messages are refused at present, or null. */
  QueueStats.@Nullable Refusal refusal() {
    Objection raised = objection;
    return raised == null || refusal != null ? ownRefusal() : raised.refusal();
  }

  private QueueStats.@Nullable Refusal ownRefusal() {
    QueueStats.Refusal own = refusal;
    return own == null ? space.refusal() : own;
  }

  QueueStats.@Nullable Damage damage() {
    return damage;
  }

  /**
   * @throws QueueRefused if messages are refused at present
   */
  void checkAccepting() {
    Objection raised = objection;
    if (raised != null && refusal == null) {
      throw new QueueRefused(
          raised.refusal().reason(),
          Double.NaN,
          raised.retryAfter(),
          raised.why() + "; nothing was written");
    }
    checkWritable();
  }

  /**
   * Like {@link #checkAccepting}, for the consumer that itself may have messages refused.
   *
   * @throws QueueRefused if nothing can be written at present
   */
  void checkWritable() {
    QueueStats.Refusal now = ownRefusal();
    if (now != null) {
      throw refused(now);
    }
  }

  /** Whether the consumer has messages refused. */
  boolean isRefused() {
    return objection != null;
  }

  /** Refuses messages until {@link #agreed}, although the stored messages are sound. */
  void refuse(String why) {
    objection = new Objection(why, Duration.ZERO, now(Reason.FAILED));
  }

  /** As {@link #refuse}, because another queue may replace this one. */
  void drained() {
    objection =
        new Objection(
            "%s was drained; it accepts messages when its service has started and reached its database"
                .formatted(name),
            RETRY,
            now(Reason.UNAVAILABLE));
  }

  void agreed() {
    objection = null;
  }

  private QueueRefused refused(QueueStats.Refusal now) {
    boolean disk = now.reason() == Reason.DISK;
    return new QueueRefused(
        now.reason(),
        now.fill(),
        disk ? DiskSpace.RETRY : Duration.ZERO,
        "%s refuses messages (%s since %s); nothing was written, %s"
            .formatted(
                name,
                now.reason(),
                now.since().truncatedTo(ChronoUnit.SECONDS),
                switch (now.reason()) {
                  case DISK -> "retry when the disk has room";
                  case CLOSED -> "retry when the queue is open again";
                  default -> "an operator must act: see the log of that time";
                }));
  }

  /** A message was not written because the disk is full. */
  QueueRefused diskFull() {
    return refused(space.full());
  }

  /** Writing failed; the message that noticed it was not written. */
  QueueRefused refusedForGood(String what, Throwable cause) {
    return refused(fail(what, cause));
  }

  /** Writing failed; whether the message was written is unknown. */
  QueueFailed failed(String what, Throwable cause) {
    fail(what, cause);
    return new QueueFailed(
        "%s failed: %s; it accepts no messages until it is opened again".formatted(name, what),
        cause);
  }

  QueueStats.Refusal fail(String what, Throwable cause) {
    LOG.error("{} failed: {}; it accepts no messages until it is opened again", name, what, cause);
    QueueStats.Refusal now = now(Reason.FAILED);
    refusal = now;
    return now;
  }

  /** The stored data differs from what was written. */
  QueueFailed damaged(long number, String what) {
    QueueStats.Damage before = damage;
    if (before != null && before.position() == number && before.what().equals(what)) {
      return failure(before);
    }
    QueueStats.Damage found = new QueueStats.Damage(number, what, Machine.now(), false);
    QueueFailed failure = failure(found);
    LOG.error(failure.getMessage());
    damage = found;
    refusal = now(Reason.FAILED);
    return failure;
  }

  /**
   * The consumer has performed messages that are lost.
   *
   * @param from the first of them
   * @param next the position behind them
   */
  void lost(long from, long next) {
    lostBefore = next;
    String what = "the end of what is kept, but messages before %,d were performed".formatted(next);
    damage = new QueueStats.Damage(from, what, Machine.now(), false);
    refuse("%s lost messages from %,d on".formatted(name, from));
  }

  /** The position behind the messages that the consumer has performed; 0 if none is lost. */
  long lostBefore() {
    return lostBefore;
  }

  /** The next start sets the damage aside. */
  void setAsideNext() {
    QueueStats.Damage known = damage;
    if (known != null) {
      damage = new QueueStats.Damage(known.position(), known.what(), known.since(), true);
    }
  }

  /**
   * @throws QueueFailed if reading is known to stop at that message
   */
  void checkReadable(long number) {
    QueueStats.Damage known = damage;
    if (known != null && known.position() == number) {
      throw failure(known);
    }
  }

  private QueueFailed failure(QueueStats.Damage known) {
    return new QueueFailed(
        "%s is damaged: at message %,d there is %s; later messages are not read and new ones are refused until an operator sets the damage aside"
            .formatted(name, known.position(), known.what()),
        null);
  }

  void close() {
    if (refusal == null) {
      refusal = now(Reason.CLOSED);
    }
  }

  private static QueueStats.Refusal now(Reason reason) {
    return new QueueStats.Refusal(reason, Double.NaN, Machine.now());
  }
}
