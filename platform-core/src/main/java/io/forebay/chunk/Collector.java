/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Turns the single calls of many bodies into call chunks. A body is sequential code for one item,
 * on a virtual thread of its own; when it calls a service it waits, and its call leaves together
 * with those of other bodies:
 *
 * <pre>{@code
 * try (Collector collector = new Collector(Ticker.every(Duration.ofMillis(10)))) {
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
 * <p>A chunk leaves when it is full, when every live body waits in a call (of whichever service:
 * then all partly filled chunks leave), when its calls have waited for the linger time, and on
 * {@link #close()}; and never while as many chunks of its service as allowed are under way. So
 * neither the last calls nor chained ones wait for a clock, unless some body is busy with something
 * else.
 *
 * <p>A thread that is no body of this collector may call a service too; for the time of its call it
 * counts as a live body that waits.
 *
 * <p>Thread-safe. Nothing is kept over a crash: what a chunk did when the process died is known to
 * the service only.
 */
public final class Collector implements AutoCloseable {

  private final Session session;
  private final Runnable stopTicking;

  /**
   * Makes an open collector.
   *
   * @param ticker the time, and how often the linger times and time-outs are looked at
   */
  public Collector(Ticker ticker) {
    session = new Session(ticker);
    stopTicking = ticker.start(session::tick);
  }

  /** Adds a service whose chunks are limited by their number of calls only. */
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
    ChunkedService<A, R> service = new ChunkedService<>(session, name, function, options, sizeOf);
    session.add(service);
    return service;
  }

  /**
   * Starts bodies, each on a new virtual thread. All of them are live before the first one runs, so
   * no chunk leaves because the later ones have not begun. To start more later, or one alone, is
   * allowed.
   *
   * @return one future per body, in their order. What a body throws is the cause of its {@link
   *     java.util.concurrent.ExecutionException}; {@code cancel(true)} interrupts it
   * @throws IllegalStateException if the collector is closed; then no body was started
   */
  public <T extends @Nullable Object> List<Future<T>> startAll(
      Collection<? extends Callable<T>> callables) {
    List<Body<T>> started = new ArrayList<>(callables.size());
    for (Callable<T> callable : callables) {
      started.add(new Body<>(session, callable));
    }
    session.enter(started);
    Thread.Builder.OfVirtual builder = Thread.ofVirtual().name("forebay-body-", 0);
    started.forEach(it -> it.start(builder));
    return List.copyOf(started);
  }

  /** The figures of this moment. */
  public CollectorFigures figures() {
    return session.figures();
  }

  /**
   * Starts no more bodies, lets partly filled chunks leave, and waits until all bodies have ended;
   * they may go on calling. An interrupt while it waits does what {@link #abort()} does, and the
   * interrupt status is set again. After {@link #abort()} it does nothing.
   *
   * @throws IllegalStateException if a body or a chunk function calls it, which would wait for
   *     itself
   */
  @Override
  public void close() {
    if (Body.isCurrent(session) || CallChunk.PERFORMING.isBound()) {
      throw new IllegalStateException(
          "a collector cannot be closed by its bodies and chunk functions; it waits for them");
    }
    session.beginToClose();
    try {
      session.awaitEnd();
    } catch (InterruptedException e) {
      abort();
      Thread.currentThread().interrupt();
    }
    stopTicking.run();
  }

  /**
   * Ends everything at once: calls that wait fail with {@link CallFailed.Reason#CLOSED}, and bodies
   * and chunk functions are interrupted. It does not wait for them; a body that ignores the
   * interrupt goes on until its next call, which is refused.
   */
  public void abort() {
    session.abort();
    stopTicking.run();
  }
}
