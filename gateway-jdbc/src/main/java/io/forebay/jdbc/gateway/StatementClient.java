/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.background.TailerLoop;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.trace.TraceParent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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

  private static final Duration RETRY = Duration.ofSeconds(1);

  private final MessageQueue out;
  private final StatementTexts texts;
  private final int maxOutstanding;
  private final JDBCService service;
  private final Object lock = new Object();
  private final Writer<JDBCStatement> writer;
  private final Outstanding outstanding;
  private final ResultSearch search;
  private final Statements unkeyed = new Statements(_ -> {});
  private final ResultTail tail;
  private final TailerLoop loop;

  StatementClient(JDBCService service, Protocol<JDBCResult> results, int maxOutstanding) {
    this.service = service;
    this.out = service.out();
    this.texts = service.texts();
    this.maxOutstanding = maxOutstanding;
    this.search = new ResultSearch(out, results);
    this.outstanding = new Outstanding(out);
    this.writer = service.createWriter();
    if (!service.in().capabilities().contiguous()) {
      writer.onAcknowledged(outstanding);
    }
    this.tail = new ResultTail(out, results, outstanding, this);
    this.loop = tail.loop(out);
    loop.startAll();
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
    return new Statements(next -> next.keyed(client, key));
  }

  /**
   * Sends statements to the partition of a key, like {@link JDBCService#createWriter(String)}:
   * statements with the same key are performed in the order in which they were sent.
   */
  public Statements partitionedBy(String partitionKey) {
    return unkeyed.partitionedBy(partitionKey);
  }

  /**
   * Sends statements that must not be performed after a time: a statement whose transaction has not
   * begun by then fails with kind EXPIRED. The time is compared with the clock of the instance that
   * performs it.
   */
  public Statements deliverBy(Instant time) {
    return unkeyed.deliverBy(time);
  }

  /**
   * Finds the result of a statement in the out-queue, by binary search, and passes it to {@code
   * target}.
   *
   * @return false if it is not there: not written yet, or already deleted
   * @throws ResultHidden if a transaction of the queue hides it, if it is there
   */
  public boolean result(Receipt receipt, JDBCResult target) {
    return search.find(receipt, null, target);
  }

  /**
   * Finds a result like {@link #result(Receipt, JDBCResult)}, if this client sent the statement
   * with an idempotency key: on a shared queue another program may have sent one with the same id.
   */
  public boolean result(Receipt receipt, String sender, JDBCResult target) {
    return search.find(receipt, sender, target);
  }

  /** Passes all results that are read from now on to a listener, instead of the former one. */
  public void listen(ResultListener listener) {
    tail.listen(listener);
  }

  /** The queue of the results. */
  public MessageQueue results() {
    return out;
  }

  /** Passes a result, as a {@link ResultListener} receives it, to {@code target}. */
  public void read(int partition, long position, ByteBuffer result, JDBCResult target) {
    search.results().reader(out.name(), target).read(partition, position, result);
    Message.clear();
  }

  /** The number of unanswered statements. */
  public int outstanding() {
    return outstanding.size();
  }

  /** Stops completing futures: open ones complete with {@link IllegalStateException}. */
  @Override
  public void close() {
    loop.close();
    synchronized (lock) {
      writer.close();
    }
  }

  private <T> Pending<T> submit(
      Statements statements, Consumer<JDBCStatement> call, Function<ResultCollector, T> value) {
    loop.awaitBegun();
    synchronized (lock) {
      if (tail.hasFailed()) {
        throw new QueueRefused(
            QueueRefused.Reason.FAILED,
            ("results of %s cannot be read (the log has the cause); nothing was sent;"
                    + " an operator must repair the queue")
                .formatted(out.name()));
      }
      if (loop.isClosed()) {
        throw new QueueRefused(
            QueueRefused.Reason.CLOSED,
            "the client of %s is closed; nothing was sent".formatted(out.name()));
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
      if (!loop.awaitReading(Duration.ZERO)) {
        throw new QueueRefused(
            QueueRefused.Reason.UNAVAILABLE,
            Double.NaN,
            RETRY,
            "results of %s cannot be read yet; nothing was sent; retry later"
                .formatted(out.name()));
      }
      statements.options.accept(writer);
      return send(call, value);
    }
  }

  private <T> Pending<T> send(Consumer<JDBCStatement> call, Function<ResultCollector, T> value) {
    List<Pending<T>> added = new ArrayList<>(1);
    writer.beforeAppend((id, partition, ticket) -> {
      Pending<T> pending =
          new Pending<>(outstanding, new Pending.Sent(writer, ticket, partition, id), value);
      outstanding.add(pending);
      added.add(pending);
    });
    try {
      call.accept(writer.calls());
    } catch (QueueFailed e) {
      return inDoubt(added.getFirst(), e);
    } catch (RuntimeException | Error e) {
      added.forEach(outstanding::forget);
      throw e;
    }
    Pending<T> pending = added.getFirst();
    if (writer.lastPosition() != Appender.UNKNOWN_POSITION) {
      outstanding.acknowledged(writer.lastPartition(), writer.lastTicket(), writer.lastPosition());
    }
    return pending;
  }

  /** The partition takes nothing else, so the statement can only be at its end. */
  private <T> Pending<T> inDoubt(Pending<T> pending, QueueFailed cause) {
    int partition = pending.sent().partition();
    long end = service.in().stats(partition).end().orElse(Appender.UNKNOWN_POSITION);
    outstanding.forget(pending);
    pending.inDoubt(new Receipt(partition, end, pending.sent().id()), cause);
    return pending;
  }

  /** Fails all futures; no other one is added. */
  void failAll(RuntimeException reason) {
    synchronized (lock) {
      outstanding.failAll(reason);
    }
  }

  /** Sends statements, all with the same keys or all without. Thread-safe. */
  public final class Statements {

    private final Consumer<Writer<JDBCStatement>> options;

    /**
     * @param options sets those of the next call
     */
    private Statements(Consumer<Writer<JDBCStatement>> options) {
      this.options = options;
    }

    /** As {@link StatementClient#partitionedBy}, with the same idempotency key. */
    public Statements partitionedBy(String value) {
      return new Statements(options.andThen(next -> next.partitionedBy(value)));
    }

    /** As {@link StatementClient#deliverBy}, with the same keys. */
    public Statements deliverBy(Instant time) {
      return new Statements(options.andThen(next -> next.deliverBy(time)));
    }

    /**
     * Gives statements this trace if no sampled span is current on the thread that sends them.
     *
     * @param by null for none
     */
    public Statements traced(@Nullable TraceParent by) {
      return by == null ? this : new Statements(options.andThen(next -> next.traced(by)));
    }

    /** As {@link StatementClient#executeUpdate}. */
    public Pending<Long> executeUpdate(String sql, @Nullable Object... args) {
      texts.mustAccept(sql);
      return submit(this, calls -> calls.executeUpdate(sql, args), ResultCollector::count);
    }

    /** As {@link StatementClient#executeQuery}. */
    public Pending<Rows> executeQuery(String sql, Class<?> resultType, @Nullable Object... args) {
      texts.mustAccept(sql);
      return submit(
          this,
          calls -> calls.executeQuery(sql, resultType, args),
          result -> Objects.requireNonNull(result.rows()));
    }

    /** As {@link StatementClient#executeTogether}. */
    public Pending<List<Long>> executeTogether(List<Call> calls) {
      texts.mustAccept(calls);
      return submit(this, target -> target.executeTogether(calls), ResultCollector::counts);
    }
  }
}
