/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.CallFailed;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.JobInterruptedException;
import org.springframework.batch.core.scope.context.StepSynchronizationManager;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.util.ClassUtils;

/**
 * One step execution of a {@link ChunkingItemProcessor}: its collector, its current chunk, and why
 * it has to stop. The threads of a task executor process items concurrently; everything else
 * happens on the step's thread.
 */
final class StepRun<I, O> {

  private static final boolean PROPAGATES =
      ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", null);

  private final ChunkingItemProcessor.Body<? super I, ? extends O> body;
  private final StepExecution step;
  private final CallCollector collector = new CallCollector();
  private final StepFigures figures;
  private final UnaryOperator<Callable<@Nullable O>> inSpanOfStep = inCurrentSpan();
  private volatile @Nullable Bodies<I, O> current;
  private volatile @Nullable JobInterruptedException stopped;

  StepRun(ChunkingItemProcessor.Body<? super I, ? extends O> body, StepExecution step) {
    this.body = body;
    this.step = step;
    figures = new StepFigures(collector);
  }

  /** Remembers the chunk. Bodies start only when the step asks for an item. */
  void begin(List<I> items) {
    current = new Bodies<>(items);
  }

  @Nullable O process(I item) throws Exception {
    JobInterruptedException before = stopped;
    if (before != null) {
      throw before;
    }
    Future<@Nullable O> future;
    try {
      future = take(item);
    } catch (IllegalStateException _) {
      throw stop("the processor was closed before the item was processed");
    }
    return await(future);
  }

  /** A step with a task executor announces no chunk: then each item's body starts alone. */
  private Future<@Nullable O> take(I item) {
    Bodies<I, O> bodies = current;
    return bodies != null && bodies.isOfThisThread()
        ? bodies.take(item, this::start)
        : start(List.of(item)).getFirst();
  }

  private List<Future<@Nullable O>> start(List<I> items) {
    return collector.startAll(
        items.stream()
            .<Callable<@Nullable O>>map(item -> inSpanOfStep.apply(() -> run(item)))
            .toList());
  }

  /** What runs a body in the current span of this thread, if Micrometer's library is there. */
  private static <T extends @Nullable Object> UnaryOperator<Callable<T>> inCurrentSpan() {
    if (!PROPAGATES) {
      return UnaryOperator.identity();
    }
    ContextSnapshot current = ContextSnapshotFactory.builder().build().captureAll();
    return body -> current.wrap(body);
  }

  private @Nullable O run(I item) throws Exception {
    StepSynchronizationManager.register(step);
    try {
      return body.process(item, step);
    } finally {
      StepSynchronizationManager.close();
    }
  }

  private @Nullable O await(Future<@Nullable O> future) throws Exception {
    try {
      return future.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case CallFailed failed when failed.reason() == CallFailed.Reason.CLOSED ->
            throw stop("the processor was closed before the item was processed");
        case Exception thrown -> throw thrown;
        case Error error -> throw error;
        case null, default -> throw e;
      }
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw stop("the step was interrupted while it waited for an item");
    } catch (CancellationException _) {
      throw stop("the processor was closed before the item was processed");
    }
  }

  private JobInterruptedException stop(String why) {
    JobInterruptedException reason = new JobInterruptedException(why);
    stopped = reason;
    end();
    return reason;
  }

  /** Why the step has to stop; null if it does not. */
  @Nullable JobInterruptedException stopped() {
    return stopped;
  }

  /** Ends the chunk: interrupts the bodies whose results were not requested. */
  void end() {
    Bodies<I, O> bodies = current;
    if (bodies != null && bodies.isOfThisThread()) {
      bodies.cancel();
      current = null;
    }
  }

  /** Stores the figures and the time, in the chunk's transaction. */
  void update(ExecutionContext context) {
    figures.update(context);
    context.putLong(CallKeys.SINCE, System.currentTimeMillis());
  }

  /** Interrupts all bodies and calls. */
  void abort() {
    collector.abort();
  }
}
