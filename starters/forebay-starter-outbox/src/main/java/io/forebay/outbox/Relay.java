/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.hosting.HostedService;
import io.forebay.machine.CrashPoint;
import io.forebay.machine.Machine;
import io.forebay.operations.StartRefused;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Hands committed messages to their services, on a thread of its own. Of all processes that use the
 * database, one is the owner and hands over; the others wake it.
 *
 * <p>A batch is read in the order of the ids, appended, accepted by the queues, and then deleted. A
 * crash in between appends it again: each message has an idempotency key. Each read begins before
 * everything that is not handed over, so if one transaction sent after another one's commit, no
 * read sees its message without the other one's.
 */
final class Relay implements SmartLifecycle, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Relay.class);

  /** How often an idle owner reads, and others try to become the owner. */
  private static final Duration POLL = Duration.ofSeconds(1);

  /** How often an owner looks for notifications, without a query. */
  private static final Duration LOOK = Duration.ofMillis(50);

  /** How often a process wakes the owner at most. */
  private static final Duration WAKE = Duration.ofMillis(10);

  /** How long a stop waits for a running turn. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** The services have phase 0; the server of HTTP has a high one. */
  private static final int PHASE = 2;

  private final DataSource database;
  private final Supplier<Map<String, HostedService<?, ?>>> callable;
  private final BackgroundTask task;
  private final AtomicBoolean woken = new AtomicBoolean();

  private final Lock turns = new ReentrantLock();
  private volatile boolean closed;
  private @Nullable Destinations destinations;
  private @Nullable OutboxSession session;
  private ReadStart start = new ReadStart();
  private Duration pause = POLL;
  private long next = Machine.nanos();
  private boolean more;
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

  /**
   * How long ago the transaction began whose message is the oldest that this process read and did
   * not hand over; zero if there is none.
   */
  Duration behind() {
    Instant since = oldest;
    Instant now = Machine.now(); // not the clock of the database
    return since == null || since.isAfter(now) ? Duration.ZERO : Duration.between(since, now);
  }

  /**
   * Opens the session, and becomes the owner unless another process is.
   *
   * @throws StartRefused if another process is, and its queues are not those of this process
   */
  void begin() throws SQLException {
    turns.lock();
    try {
      OutboxSession current = session();
      current.own();
      if (!current.isOwner()) {
        destinations()
            .unshared()
            .ifPresent(why -> {
              throw new StartRefused(why);
            });
      }
    } finally {
      turns.unlock();
    }
  }

  private void turn() throws SQLException, InterruptedException {
    turns.lock();
    try {
      if (!closed) {
        openTurn(destinations());
      }
    } catch (SQLException e) {
      endSession();
      throw e;
    } finally {
      turns.unlock();
    }
  }

  private void openTurn(Destinations to) throws SQLException, InterruptedException {
    pause = POLL;
    OutboxSession current = session();
    boolean read = more;
    more = false;
    if (Machine.nanos() - next >= 0) {
      next = Machine.nanos() + POLL.toNanos();
      current.own();
      to.retry();
      read = true;
    }
    boolean wake = woken.getAndSet(false);
    if (current.isOwner()) {
      read |= wake | current.isWoken();
      more = read && handOver(current, to);
      pause = more ? Duration.ZERO : LOOK;
      return;
    }
    if (wake) {
      current.wakeOwner();
      Machine.sleep(WAKE);
    }
    // It may have been the owner, and another process was started while it had no session.
    to.unshared()
        .ifPresent(why -> {
          throw new IllegalStateException(why);
        });
  }

  /** Also after a fail-over the table is read from its beginning. */
  private OutboxSession session() throws SQLException {
    if (session == null) {
      session = OutboxSession.open(database);
      start = new ReadStart();
      next = Machine.nanos(); // it does not know yet whether it is the owner
    }
    return session;
  }

  private Destinations destinations() {
    if (destinations == null) {
      destinations = new Destinations(callable.get());
    }
    return destinations;
  }

  /**
   * Hands over a batch.
   *
   * @return whether there may be more
   */
  private boolean handOver(OutboxSession from, Destinations to)
      throws SQLException, InterruptedException {
    if (start.isBehind()) {
      start.openNow(from.openTransactions());
    }
    boolean ofAll = to.takeAll();
    OutboxSession.Rows read = from.read(start.id(), to.taking());
    if (ofAll) {
      oldest = read.oldest();
    }
    List<Long> done = to.append(read.rows());
    if (!done.isEmpty()) {
      CrashPoint.hit("outbox.accepted");
      from.delete(done);
      CrashPoint.hit("outbox.deleted");
      accepted.add(done.size());
    }
    if (ofAll && to.takeAll()) {
      handedOver(read);
    }
    return !read.all();
  }

  /** While a service is left out, the start stays: its messages are read again. */
  private void handedOver(OutboxSession.Rows read) {
    if (!read.rows().isEmpty()) {
      start.handedOver(read.rows().getLast().id());
    }
    if (read.all()) {
      oldest = null;
      start.handedOverAll();
    }
  }

  private void endSession() {
    if (session != null) {
      session.close();
      session = null;
      oldest = null; // another process may own the table
    }
    if (destinations != null) {
      destinations.forget(); // after a fail-over, their ids may be those of other rows
    }
  }

  @Override
  public void start() {
    task.start();
  }

  @Override
  public boolean isRunning() {
    return task.isRunning();
  }

  /** It starts after the services, and stops after the server of HTTP and before them. */
  @Override
  public int getPhase() {
    return PHASE;
  }

  /**
   * Another process can then take over, unless the database does not respond: the services need not
   * wait for that.
   */
  @Override
  public void stop() {
    if (task.close(PATIENCE)) {
      end();
    }
  }

  private void end() {
    turns.lock();
    try {
      endSession();
    } finally {
      turns.unlock();
    }
  }

  @Override
  public void close() {
    closed = true;
    task.close();
    end();
    if (destinations != null) {
      destinations.close();
    }
  }
}
