/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import io.forebay.trace.Tracing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Collects the single calls of many bodies into call chunks. A body is sequential code for one
 * item, on its own virtual thread. When it calls a service it waits, and its call is sent together
 * with those of other bodies:
 *
 * <pre>{@code
 * try (CallCollector collector = new CallCollector()) {
 *   ChunkedService<Long, Customer> customers =
 *       collector.service("customers", ChunkFunction.inOrder(repository::readAll), ChunkOptions.defaults());
 *   List<Callable<Letter>> bodies = new ArrayList<>();
 *   for (Contract contract : contracts) {
 *     bodies.add(() -> letter(contract, customers.call(contract.owner())));
 *   }
 *   for (Future<Letter> letter : collector.startAll(bodies)) {
 *     write(letter.get());
 *   }
 * }
 * }</pre>
 *
 * <p>A chunk is sent when it is full, when every live body waits in a call of any service (then all
 * partly filled chunks are sent), when its calls have waited for the linger time, and on {@link
 * #close()}; but never while the service has its maximum of chunks in flight. So neither the last
 * calls nor chained calls wait for the linger time, unless some body is busy with something else.
 *
 * <p>A body's calls are collected by the collector that runs the body, also those of services that
 * another collector created. Other threads may call a service too; the collector that created it
 * counts such a thread as a live body that waits.
 *
 * <p>Thread-safe. Nothing survives a crash: only the service knows whether a chunk was performed
 * when the process died.
 */
public final class CallCollector implements AutoCloseable {

  private static final Duration TICK = Duration.ofMillis(10);

  private final CollectorMonitor monitor;
  private final Ticker ticker;
  private @Nullable Runnable stopTicking;

  /** Creates an open collector that checks linger times and timeouts every 10 ms. */
  public CallCollector() {
    this(Tracing.NONE);
  }

  /**
   * Like the other constructor, for services whose calls carry the current span of their thread.
   */
  public CallCollector(Tracing tracing) {
    this(Ticker.every(TICK), tracing);
  }

  /**
   * Creates an open collector. It ticks from its first service or body on.
   *
   * @param ticker the clock; its ticks check linger times and timeouts
   */
  public CallCollector(Ticker ticker) {
    this(ticker, Tracing.NONE);
  }

  private CallCollector(Ticker ticker, Tracing tracing) {
    monitor = new CollectorMonitor(ticker, tracing);
    this.ticker = ticker;
  }

  private synchronized void tick() {
    if (stopTicking == null) {
      stopTicking = ticker.start(monitor::tick);
    }
  }

  /** Adds a service whose chunks are limited by the number of calls only. */
  public <A, R extends @Nullable Object> ChunkedService<A, R> service(
      String name, ChunkFunction<A, R> function, ChunkOptions options) {
    return service(name, function, options, argument -> 0);
  }

  /**
   * Adds a service.
   *
   * @param name for messages and figures
   * @param sizeOf the size of an argument in bytes, from 0; called once per call, by the caller
   * @throws IllegalArgumentException if there is a service of this name
   */
  public <A, R extends @Nullable Object> ChunkedService<A, R> service(
      String name,
      ChunkFunction<A, R> function,
      ChunkOptions options,
      ToLongFunction<? super A> sizeOf) {
    ChunkedService<A, R> service = new ChunkedService<>(monitor, name, function, options, sizeOf);
    monitor.add(service);
    tick();
    return service;
  }

  /**
   * Starts bodies, each on a new virtual thread. All of them are live before the first one runs, so
   * no chunk is sent early because later bodies have not begun. More bodies may be started later.
   *
   * @return one future per body, in their order. An exception of a body is the cause of its {@link
   *     java.util.concurrent.ExecutionException}; {@code cancel(true)} interrupts the body
   * @throws IllegalStateException if the collector is closed; no body was started
   */
  public <T extends @Nullable Object> List<Future<T>> startAll(
      Collection<? extends Callable<T>> callables) {
    List<BodyTask<T>> started = new ArrayList<>(callables.size());
    for (Callable<T> callable : callables) {
      started.add(new BodyTask<>(monitor, callable));
    }
    monitor.enter(started);
    tick();
    Thread.Builder.OfVirtual builder = Thread.ofVirtual().name("forebay-body-", 0);
    started.forEach(it -> it.start(builder));
    return List.copyOf(started);
  }

  /** The services that it created or collected calls of, in the order in which they were added. */
  public List<ChunkedService<?, ?>> services() {
    return monitor.services();
  }

  /** The current figures, of the calls that it collected. */
  public CollectorFigures figures() {
    return monitor.figures();
  }

  /**
   * Accepts no more bodies, sends partly filled chunks, and waits until all bodies have ended; they
   * may still make calls. An interrupt while it waits has the effect of {@link #abort()}, and the
   * interrupt status is set again. After {@link #abort()} it does nothing.
   *
   * @throws IllegalStateException if a body or a chunk function calls it: it would wait for itself
   */
  @Override
  public void close() {
    if (BodyTask.isCurrent(monitor) || CallChunk.PERFORMING.isBound()) {
      throw new IllegalStateException(
          "a collector cannot be closed by its bodies and chunk functions; it waits for them");
    }
    monitor.beginToClose();
    try {
      monitor.awaitEnd();
    } catch (InterruptedException e) {
      abort();
      Thread.currentThread().interrupt();
    }
    end();
  }

  private synchronized void end() {
    if (stopTicking == null) {
      stopTicking = () -> {}; // so that it never starts
    }
    stopTicking.run();
    monitor.services().forEach(it -> it.leave(monitor));
  }

  /**
   * Aborts at once: waiting calls fail with {@link CallFailed.Reason#CLOSED}, and bodies and chunk
   * functions are interrupted. It does not wait for them; a body that ignores the interrupt runs
   * until its next call, which is refused.
   */
  public void abort() {
    monitor.abort();
    end();
  }
}
