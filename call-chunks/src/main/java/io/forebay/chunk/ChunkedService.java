/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A service that is called for single items and performs them in chunks; see {@link
 * CallCollector#service}.
 *
 * <p>The calls of a body are collected by the collector that runs the body, so bodies of several
 * collectors may share a service. The calls of other threads are collected by the collector that
 * created the service. Thread-safe.
 *
 * @param <A> the argument of a call
 * @param <R> its result
 */
public final class ChunkedService<A, R extends @Nullable Object> {

  private final CollectorMonitor home;
  private final String name;
  private final ChunkFunction<A, R> function;
  private final ChunkOptions options;
  private final ToLongFunction<? super A> sizeOf;

  /** The collectors that collected calls and are not closed; guarded by this. */
  private final List<CollectorMonitor> collectors = new ArrayList<>();

  /** The figures of the collectors that are closed; guarded by this. */
  private ServiceFigures ended;

  ChunkedService(
      CollectorMonitor home,
      String name,
      ChunkFunction<A, R> function,
      ChunkOptions options,
      ToLongFunction<? super A> sizeOf) {
    this.home = home;
    this.name = name;
    this.function = function;
    this.options = options;
    this.sizeOf = sizeOf;
    ended = ServiceFigures.none(name, options);
  }

  /** The name of the service, as in messages and figures. */
  public String name() {
    return name;
  }

  /** The limits for collecting its calls. */
  public ChunkOptions options() {
    return options;
  }

  /** The figures of all its calls, whichever collectors collected them. */
  public ServiceFigures figures() {
    ServiceFigures sum;
    List<CollectorMonitor> open;
    synchronized (this) {
      sum = ended;
      open = List.copyOf(collectors);
    }
    for (CollectorMonitor collector : open) { // without the lock, which is taken under theirs
      sum = sum.plus(collector.figures(this));
    }
    return sum;
  }

  synchronized void enter(CollectorMonitor collector) {
    collectors.add(collector);
  }

  /** Keeps the figures of a collector that makes no more calls, and forgets the collector. */
  void leave(CollectorMonitor collector) {
    ServiceFigures last = collector.figures(this);
    synchronized (this) {
      if (collectors.remove(collector)) {
        ended = ended.plus(last);
      }
    }
  }

  /**
   * Calls the service: waits until the chunk with this call was sent and answered. A waiting
   * virtual thread does not block its carrier.
   *
   * @return the service's result of this call
   * @throws CallFailed if there is no result; see {@link CallFailed#reason()}
   * @throws IllegalArgumentException if the argument alone is larger than a chunk may be
   * @throws IllegalStateException in a chunk function, where a call could wait for itself
   */
  public R call(A argument) {
    if (CallChunk.PERFORMING.isBound()) {
      throw new IllegalStateException(
          "the chunk function of service %s called service %s; only bodies may call services"
              .formatted(CallChunk.PERFORMING.get().collected.service.name(), name));
    }
    long bytes = sizeOf.applyAsLong(argument);
    if (bytes < 0 || bytes > options.maxBytes()) {
      throw new IllegalArgumentException(
          "service %s: the argument has %,d bytes; 0 to maxBytes=%,d are allowed"
              .formatted(name, bytes, options.maxBytes()));
    }
    BodyTask<?> body = BodyTask.current();
    CollectorMonitor monitor = body == null ? home : body.monitor;
    CollectedCall<A, R> call =
        new CollectedCall<>(
            argument, bytes, body != null && body.isOnItsThread(), home.tracing.current());
    CollectedService<A, R> collected = monitor.enter(this, call);
    boolean interrupted = false;
    while (!call.isDone()) {
      LockSupport.park(this);
      if (Thread.interrupted()) {
        interrupted = true;
        monitor.withdraw(collected, call);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return call.result(name);
  }

  ChunkFunction<A, R> function() {
    return function;
  }
}
