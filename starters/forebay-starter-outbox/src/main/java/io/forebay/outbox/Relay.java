/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.machine.CrashPoint;
import io.forebay.machine.Machine;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.service.progress.Unavailable;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands committed messages to their services, on a thread of its own. Of all processes that use the
 * database, one is the owner and hands over; the others wake it.
 *
 * <p>A batch is read in the order of the ids, appended, accepted by the queues, and then deleted. A
 * crash in between appends it again: each message has an idempotency key. Each read begins before
 * everything that is not handed over, so if one transaction sent after another one's commit, no
 * read sees its message without the other one's.
 */
final class Relay implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Relay.class);

  /** How often an idle owner reads, and others try to become the owner. */
  private static final Duration POLL = Duration.ofSeconds(1);

  /** How often an owner looks for notifications, without a query. */
  private static final Duration LOOK = Duration.ofMillis(50);

  /** How often a process wakes the owner at most. */
  private static final Duration WAKE = Duration.ofMillis(10);

  /** How long it waits for the queues until it looks whether it was closed. */
  private static final Duration ACCEPTED = Duration.ofMillis(500);

  private final DataSource database;
  private final Supplier<Map<String, HostedService<?, ?>>> callable;
  private final BackgroundTask task;
  private final AtomicBoolean woken = new AtomicBoolean();

  private final Map<String, Writer<?>> writers = new HashMap<>();
  private Map<String, HostedService<?, ?>> services = Map.of();
  private @Nullable OutboxSession session;
  private ReadStart start = new ReadStart();
  private Duration pause = POLL;
  private long next = Machine.nanos();
  private final LongAdder accepted = new LongAdder();
  private volatile @Nullable Instant oldest;

  /**
   * @param callable the services by their names; asked for when the relay runs
   */
  Relay(DataSource database, Supplier<Map<String, HostedService<?, ?>>> callable) {
    this.database = database;
    this.callable = callable;
    Outage outage =
        new Outage(log, "The outbox", "its messages stay in table forebay_outbox until it works");
    this.task = new BackgroundTask("forebay-outbox", () -> pause, outage, this::turn);
  }

  BackgroundTask task() {
    return task;
  }

  /** A transaction of this process has committed messages. */
  void wake() {
    if (!woken.getAndSet(true)) {
      task.wake();
    }
  }

  /** Where the next read begins. */
  long readStart() {
    return start.id();
  }

  /** How many messages it has handed over since the start. */
  long accepted() {
    return accepted.sum();
  }

  /** How long the oldest committed message that it read has waited; zero if none waits. */
  Duration behind() {
    Instant since = oldest;
    return since == null ? Duration.ZERO : Duration.between(since, Machine.now());
  }

  private void turn() throws Exception {
    pause = POLL;
    try {
      OutboxSession current = session();
      boolean due = Machine.nanos() - next >= 0;
      if (due) {
        next = Machine.nanos() + POLL.toNanos();
        current.own();
      }
      boolean wake = woken.getAndSet(false);
      if (current.isOwner()) {
        boolean isRead = due | wake | current.isWoken();
        boolean more = isRead && handOver(current);
        pause = more ? Duration.ZERO : LOOK;
        next = more ? Machine.nanos() : next;
      } else if (wake) {
        current.wakeOwner();
        Machine.sleep(WAKE);
      }
    } catch (SQLException e) {
      endSession();
      throw e;
    }
  }

  /** Also after a fail-over the table is read from its beginning. */
  private OutboxSession session() throws SQLException {
    if (session == null) {
      services = callable.get();
      session = OutboxSession.open(database, services.keySet());
      start = new ReadStart();
    }
    return session;
  }

  /**
   * Hands over a batch.
   *
   * @return whether there may be more
   * @throws QueueRefused if a queue refuses a message; those before it were handed over
   */
  private boolean handOver(OutboxSession from) throws SQLException, InterruptedException {
    if (start.isBehind()) {
      start.writersNow(from.writers());
    }
    OutboxSession.Rows read = from.read(start.id());
    List<OutboxRow> rows = read.rows();
    oldest = read.oldest();
    QueueRefused refused = null;
    int appended = 0;
    try {
      for (OutboxRow row : rows) {
        append(row);
        appended++;
      }
    } catch (QueueRefused e) {
      refused = e;
    }
    if (appended > 0) {
      awaitAccepted();
      CrashPoint.hit("outbox.accepted");
      from.delete(rows.subList(0, appended));
      CrashPoint.hit("outbox.deleted");
      start.handedOver(rows.get(appended - 1).id());
      accepted.add(appended);
    }
    if (refused != null) {
      throw refused;
    }
    if (read.all()) {
      oldest = null;
      start.handedOverAll();
    }
    return !read.all();
  }

  private void append(OutboxRow row) {
    HostedService<?, ?> service = Objects.requireNonNull(services.get(row.service()));
    service.in().checkPartition(row.partition());
    writers
        .computeIfAbsent(row.service(), _ -> service.createWriter())
        .forward(row.partition(), row.message());
  }

  private void awaitAccepted() throws InterruptedException {
    for (Writer<?> writer : writers.values()) {
      while (!isAccepted(writer)) {
        if (!task.isRunning()) {
          throw new Unavailable("closed before the queue accepted the messages", null);
        }
      }
    }
  }

  private boolean isAccepted(Writer<?> writer) throws InterruptedException {
    try {
      writer.await(ACCEPTED);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (QueueFailed e) {
      closeWriters(); // which of its messages are in the queue is unknown: all are appended again
      throw e;
    }
  }

  private void closeWriters() {
    writers.values().forEach(Writer::close);
    writers.clear();
  }

  private void endSession() {
    if (session != null) {
      session.close();
      session = null;
    }
  }

  @Override
  public void close() {
    task.close();
    closeWriters();
    endSession();
  }
}
