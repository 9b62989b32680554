/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.service.Idle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends statements and returns a future for each. A thread of the client reads the out-queue and
 * completes the futures.
 *
 * <p>Thread-safe. Futures end with the process, but results do not: {@link #result} finds a result
 * by its receipt for as long as it is kept.
 */
public final class StatementClient implements AutoCloseable {

  /** The default maximum number of unanswered statements. */
  public static final int DEFAULT_MAX_OUTSTANDING = 100_000;

  private static final Logger log = LoggerFactory.getLogger(StatementClient.class);
  private static final Duration LONGEST_IDLE = Duration.ofMillis(1);
  private static final Duration LONGEST_REST = Duration.ofMillis(50);
  private static final int TURNS_BEFORE_REST = 100;
  private static final Duration TELL_AGAIN = Duration.ofMinutes(1);
  private static final Duration RETRY = Duration.ofSeconds(1);

  /** How long to wait for a queue to become readable; usually much less is needed. */
  private static final Duration READABLE = Duration.ofSeconds(10);

  private static final long A_MOMENT_NANOS = 20_000_000;

  private final MessageQueue out;
  private final StatementTexts texts;
  private final Protocol<JDBCResult> results;
  private final int maxOutstanding;
  private final JDBCService service;
  private final Object lock = new Object();
  private volatile Sending sending;
  private final Map<Receipt, Answer<?>> outstanding = new ConcurrentHashMap<>();

  private final ResultSearch search;
  private final MissedResults missed;

  /** For each partition, the last position whose future was added. */
  private final AtomicLongArray handedOver;

  private final Statements unkeyed = new Statements(null, null);

  private final Thread thread;

  /**
   * Whether results are being read. Until then no statement is sent, because its result could be
   * missed.
   */
  private volatile boolean reading;

  private volatile boolean closed;

  /** Why this process cannot read results any more; null if it can. */
  private volatile @Nullable RuntimeException failure;

  /** The tailer on which the thread waits while nothing is outstanding. */
  private volatile @Nullable Tailer resting;

  /** When the reading thread last logged that it cannot read. */
  private long toldNanos;

  /**
   * @param acceptances null if the queue knows positions at once
   */
  record Sending(Writer<JDBCStatement> writer, @Nullable Acceptances acceptances) {}

  StatementClient(JDBCService service, Protocol<JDBCResult> results, int maxOutstanding) {
    this.service = service;
    this.out = service.out();
    this.texts = service.texts();
    this.results = results;
    this.maxOutstanding = maxOutstanding;
    this.search = new ResultSearch(out, results);
    this.missed = new MissedResults(out.name(), out.partitions(), outstanding);
    this.sending = open();
    this.handedOver = new AtomicLongArray(out.partitions());
    for (int partition = 0; partition < out.partitions(); partition++) {
      handedOver.set(partition, -1);
    }
    List<Tailer> tailers = tryToOpen();
    reading = !tailers.isEmpty();
    thread =
        Thread.ofPlatform()
            .name("forebay-" + out.name() + "-client")
            .daemon()
            .start(() -> complete(tailers));
  }

  /** Opens a writer. A shared queue reports positions later, to the acceptances. */
  private Sending open() {
    Writer<JDBCStatement> writer = service.createWriter();
    Acceptances acceptances =
        service.in().capabilities().contiguous() ? null : new Acceptances(lock, this::place);
    if (acceptances != null) {
      writer.onAcknowledged(acceptances);
    }
    return new Sending(writer, acceptances);
  }

  /**
   * Opens a tailer per partition, at its end; returns none if the queue's server does not respond.
   */
  private List<Tailer> tryToOpen() {
    List<Tailer> tailers = new ArrayList<>();
    try {
      for (int partition = 0; partition < out.partitions(); partition++) {
        Tailer tailer = out.tailer(partition);
        tailers.add(tailer);
        tailer.toEnd();
      }
      return tailers;
    } catch (QueueUnavailable e) {
      tailers.forEach(Tailer::close);
      return List.of();
    }
  }

  /**
   * @param sql SQL text, or a reference to a statement of the catalogue; the arguments are then the
   *     values of its parameters, in their order
   * @throws QueueRefused if the queue does not take it, or too many statements are unanswered
   * @throws IllegalArgumentException if it is SQL text and the gateway takes none ({@link
   *     JDBCService#acceptsText}), or an argument is of a kind that no message can carry
   */
  public Pending<Long> executeUpdate(String sql, @Nullable Object... args) {
    return unkeyed.executeUpdate(sql, args);
  }

  /**
   * As {@link #executeUpdate}, for rows.
   *
   * @param resultType a registered record with a component per column, or {@code Row}
   * @throws QueueRefused if the queue does not take it, or too many statements are unanswered
   */
  public Pending<Rows> executeQuery(String sql, Class<?> resultType, @Nullable Object... args) {
    return unkeyed.executeQuery(sql, resultType, args);
  }

  /**
   * As {@link #executeUpdate}, for several that are performed atomically.
   *
   * @throws QueueRefused if the queue does not take it, or too many statements are unanswered
   */
  public Pending<List<Long>> executeTogether(List<Call> calls) {
    return unkeyed.executeTogether(calls);
  }

  /**
   * Sends statements with an idempotency key: the statement takes effect once, however often it is
   * sent, and always has the same result. A different statement with the same key fails with kind
   * KEY_REUSED.
   *
   * @param client the namespace of the key, so that keys of two clients never collide
   * @throws IllegalArgumentException if one of them is empty, longer than 255 bytes or not valid
   *     text; thrown by the call that sends
   */
  public Statements keyed(String client, String key) {
    return new Statements(new Key(client, key), null);
  }

  /**
   * Sends statements to the partition of a key, like {@link JDBCService#createWriter(String)}:
   * statements with the same key are performed in the order in which they were sent.
   */
  public Statements partitionedBy(String partitionKey) {
    return unkeyed.partitionedBy(partitionKey);
  }

  /**
   * Finds the result of a statement in the out-queue, by binary search, and passes it to {@code
   * target}.
   *
   * @return false if it is not there: not written yet, or already deleted
   */
  public boolean result(Receipt receipt, JDBCResult target) {
    return search.find(receipt, target);
  }

  /** The number of unanswered statements. */
  public int outstanding() {
    Acceptances acceptances = sending.acceptances();
    return outstanding.size() + (acceptances == null ? 0 : acceptances.size());
  }

  /** Stops completing futures: open ones complete with {@link IllegalStateException}. */
  @Override
  public void close() {
    closed = true;
    try {
      if (Thread.currentThread() != thread) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synchronized (lock) {
      sending.writer().close();
    }
  }

  private <T> Pending<T> submit(
      Statements statements, Consumer<JDBCStatement> call, Answer.Expectation<T> expected) {
    awaitReading();
    synchronized (lock) {
      if (closed) {
        throw new IllegalStateException("the client of " + out.name() + " is closed");
      }
      if (failure != null) {
        throw new QueueRefused(
            QueueRefused.Reason.FAILED,
            Double.NaN,
            Duration.ZERO,
            ("results of %s cannot be read (the log has the cause); nothing was sent;"
                    + " an operator must repair the queue")
                .formatted(out.name()));
      }
      if (outstanding() >= maxOutstanding) {
        throw new QueueRefused(
            QueueRefused.Reason.FULL,
            1,
            Duration.ofMillis(100),
            ("%,d statements of this client await their results (limit=%,d); nothing"
                    + " was sent; retry when results have arrived")
                .formatted(outstanding(), maxOutstanding));
      }
      if (!reading) {
        throw new QueueRefused(
            QueueRefused.Reason.UNAVAILABLE,
            Double.NaN,
            RETRY,
            "results of %s cannot be read yet; nothing was sent; retry later"
                .formatted(out.name()));
      }
      Sending now = serving();
      Writer<JDBCStatement> writer = now.writer();
      statements.prepare(writer);
      call.accept(writer.calls());
      Pending<T> pending = new Pending<>(this, now, writer.lastTicket());
      Answer<T> answer = new Answer<>(pending, expected);
      Acceptances acceptances = now.acceptances();
      if (acceptances == null) {
        place(new Receipt(writer.lastPartition(), writer.lastPosition(), writer.lastId()), answer);
        handedOver.set(writer.lastPartition(), writer.lastPosition());
      } else {
        acceptances.expect(writer.lastTicket(), writer.lastId(), answer);
      }
      Tailer asleep = resting;
      if (asleep != null) {
        asleep.wake();
      }
      return pending;
    }
  }

  /**
   * Replaces a failed writer, so that later statements are not rejected; its futures report the
   * failure.
   */
  private Sending serving() {
    if (sending.writer().hasFailed()) {
      sending.writer().close();
      sending = open();
    }
    return sending;
  }

  /** Waits a moment until the queue can be read. */
  private void awaitReading() {
    long begin = System.nanoTime();
    while (!reading
        && failure == null
        && !closed
        && out.trouble().isEmpty()
        && System.nanoTime() - begin < READABLE.toNanos()) {
      LockSupport.parkNanos(A_MOMENT_NANOS);
    }
  }

  /** Registers a future that waits for its result. */
  private void place(Receipt receipt, Answer<?> answer) {
    answer.pending().accepted(receipt);
    outstanding.put(receipt, answer);
    missed.failIfMissed(receipt);
  }

  /** Stops waiting for a result. */
  void forget(Pending<?> pending) {
    Acceptances acceptances = pending.sending().acceptances();
    if (acceptances != null) {
      acceptances.forget(pending.ticket());
    }
    pending.receiptIfKnown().ifPresent(outstanding::remove);
  }

  private void complete(List<Tailer> opened) {
    List<Tailer> tailers = opened;
    try {
      while (!closed) {
        if (tailers.isEmpty()) {
          tailers = tryToOpen();
        }
        reading = !tailers.isEmpty();
        if (reading) {
          tailers = readUntilClosed(tailers);
        } else {
          LockSupport.parkNanos(A_MOMENT_NANOS);
        }
      }
      failAll(new IllegalStateException("the client was closed; get the result by its receipt"));
    } catch (RuntimeException e) {
      log.error(
          "Results of {} cannot be read; its futures fail, and its client sends no"
              + " more statements",
          out.name(),
          e);
      failure = e;
      failAll(e);
    } finally {
      tailers.forEach(Tailer::close);
      Message.clear();
    }
  }

  /** Survives an error of reading; returns the tailers to continue with. */
  private List<Tailer> readUntilClosed(List<Tailer> tailers) {
    try {
      read(tailers);
      return tailers;
    } catch (Error e) {
      reading = false;
      tailers.forEach(Tailer::close);
      failAll(
          new IllegalStateException(
              "its result was not read because of an error; get it by its receipt", e));
      log.error(
          "Results of {} not read because of an error; waiting futures fail; reading"
              + " restarts at the end of the queue",
          out.name(),
          e);
      return List.of();
    }
  }

  private void read(List<Tailer> tailers) {
    Collector collector = new Collector();
    CallReader<JDBCResult> reader = results.reader(out.name(), collector);
    Idle idle = Idle.backOff(LONGEST_IDLE);
    int idleTurns = 0;
    while (!closed) {
      try {
        int count = 0;
        for (Tailer tailer : tailers) {
          count += read(tailer, reader, collector);
        }
        idleTurns = count > 0 ? 0 : idleTurns + 1;
        if (idleTurns > TURNS_BEFORE_REST && outstanding() == 0) {
          rest(tailers.getFirst());
        } else if (idleTurns > 0) {
          idle.idle(idleTurns, tailers.getFirst());
        }
      } catch (QueueUnavailable e) {
        unreadable(e); // tailers stay where they are
      }
    }
  }

  /** Sleeps until the next submission. */
  private void rest(Tailer tailer) {
    resting = tailer;
    try {
      if (outstanding() == 0) {
        tailer.await(LONGEST_REST);
      }
    } finally {
      resting = null;
    }
  }

  private int read(Tailer tailer, CallReader<JDBCResult> reader, Collector collector) {
    int partition = tailer.partition();
    try {
      return tailer.poll(
          1_000, (position, message) -> complete(partition, position, message, reader, collector));
    } catch (Acceptances.NotPlacedYet e) {
      return 0; // the result is read again once the position of its statement is known
    } catch (PositionOutOfRange e) {
      missed.overtaken(tailer, e);
      return 1;
    }
  }

  private void unreadable(QueueUnavailable e) {
    long now = System.nanoTime();
    if (toldNanos == 0 || now - toldNanos > TELL_AGAIN.toNanos()) {
      log.warn("Results cannot be read: {}; retrying", e.getMessage());
      toldNanos = now;
    }
    LockSupport.parkNanos(A_MOMENT_NANOS);
  }

  private void complete(
      int partition,
      long position,
      ByteBuffer message,
      CallReader<JDBCResult> reader,
      Collector collector) {
    Message result = Message.peek(out.name(), partition, position, message);
    long source = result.source().orElse(-1);
    missed.read(partition, source);
    Answer<?> answer = remove(new Receipt(partition, source, result.id()));
    if (answer != null) {
      collector.clear();
      try {
        reader.read(partition, position, message);
        answer.complete(collector);
      } catch (RuntimeException | Error e) {
        answer.pending().completeExceptionally(e);
      }
    }
  }

  /**
   * A result may arrive before the caller has added its future; the caller holds the lock until
   * then. Results without a waiting future take no lock.
   */
  private @Nullable Answer<?> remove(Receipt receipt) {
    boolean putDown = receipt.position() <= handedOver.get(receipt.partition());
    Answer<?> answer = outstanding.remove(receipt);
    if (answer != null || putDown) {
      return answer;
    }
    Acceptances acceptances = sending.acceptances();
    if (acceptances != null) {
      acceptances.mustNotExpect(receipt.id());
      return outstanding.remove(receipt);
    }
    synchronized (lock) {
      return outstanding.remove(receipt);
    }
  }

  private void failAll(RuntimeException reason) {
    synchronized (lock) {
      Acceptances acceptances = sending.acceptances();
      if (acceptances != null) {
        acceptances.failAll(reason);
      }
      outstanding.values().forEach(answer -> answer.pending().completeExceptionally(reason));
      outstanding.clear();
    }
  }

  /** An idempotency key. */
  private record Key(String client, String key) {}

  /** Sends statements, all with the same keys or all without. Thread-safe. */
  public final class Statements {

    private final @Nullable Key key;
    private final @Nullable String partitionKey;

    private Statements(@Nullable Key key, @Nullable String partitionKey) {
      this.key = key;
      this.partitionKey = partitionKey;
    }

    /** As {@link StatementClient#partitionedBy}, with the same idempotency key. */
    public Statements partitionedBy(String value) {
      return new Statements(key, value);
    }

    private void prepare(Writer<JDBCStatement> next) {
      if (key != null) {
        next.keyed(key.client(), key.key());
      }
      if (partitionKey != null) {
        next.partitionedBy(partitionKey);
      }
    }

    /** As {@link StatementClient#executeUpdate}. */
    public Pending<Long> executeUpdate(String sql, @Nullable Object... args) {
      texts.mustAccept(sql);
      return submit(this, calls -> calls.executeUpdate(sql, args), Collector::count);
    }

    /** As {@link StatementClient#executeQuery}. */
    public Pending<Rows> executeQuery(String sql, Class<?> resultType, @Nullable Object... args) {
      texts.mustAccept(sql);
      return submit(this, calls -> calls.executeQuery(sql, resultType, args), Collector::rows);
    }

    /** As {@link StatementClient#executeTogether}. */
    public Pending<List<Long>> executeTogether(List<Call> calls) {
      texts.mustAccept(calls);
      return submit(this, target -> target.executeTogether(calls), Collector::counts);
    }
  }
}
