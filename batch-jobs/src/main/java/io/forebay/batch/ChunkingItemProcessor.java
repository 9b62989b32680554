/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import io.forebay.chunk.CallFailed;
import io.forebay.chunk.Collector;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.JobInterruptedException;
import org.springframework.batch.core.listener.ChunkListener;
import org.springframework.batch.core.listener.ItemProcessListener;
import org.springframework.batch.core.scope.context.StepContext;
import org.springframework.batch.core.scope.context.StepSynchronizationManager;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.batch.infrastructure.item.ItemProcessor;
import org.springframework.batch.infrastructure.item.ItemStream;

/**
 * Processes the items of a step chunk concurrently, each by sequential code on a virtual thread of
 * its own, so that the service calls of that code travel in call chunks:
 *
 * <pre>{@code
 * ChunkedService<Long, Customer> customers = collector.service("customers", transport, options);
 * var letters = ChunkingItemProcessor.<Contract, Letter>builder(collector)
 *     .body(contract -> new Letter(contract, customers.call(contract.owner())))
 *     .build();
 * new StepBuilder("letters", repository).<Contract, Letter>chunk(5_000)
 *     .reader(contracts).processor(letters).writer(writer).transactionManager(transactions)
 *     .build();
 * }</pre>
 *
 * <p>For a sequential {@code ChunkOrientedStep}, without a task executor. As with any processor,
 * the step asks for one item after the other, and gets what the item's body returned or threw:
 * order, filter, skip, retry, listeners, counters and restart are handled by the step. The bodies
 * of a step chunk start when the step asks for its first item; a retry runs the item's body again.
 *
 * <p>Bodies run outside the step's transaction, and bodies of later items run even if an earlier
 * one fails. When the step fails or the process dies, the items of the chunk are processed again
 * after a restart: a call with side effects must carry a key of {@link CallKeys}, which is the same
 * again. Step-scoped beans are those of the step.
 *
 * <p>A step registers its processor as a listener and a stream. If the processor is hidden behind a
 * proxy or in a composite, register it with {@code listener} and {@code stream}.
 *
 * <p>Thread-safe: concurrent steps may share one. The figures of its collector are kept in the
 * step's execution context.
 *
 * @param <I> the items that are read
 * @param <O> the items that are written
 */
public final class ChunkingItemProcessor<I, O>
    implements ItemProcessor<I, O>, ItemProcessListener<I, O>, ChunkListener<I, O>, ItemStream {

  /** The code for one item. */
  @FunctionalInterface
  public interface Body<I, O> {

    /**
     * Processes an item, on a virtual thread.
     *
     * @param keys for calls with side effects
     * @return null to filter the item
     * @throws Exception any; it is passed to the step
     */
    @Nullable O process(I item, CallKeys keys) throws Exception;
  }

  private final Collector collector;
  private final Body<? super I, ? extends O> body;
  private final @Nullable Function<? super I, ?> identity;
  private final StepFigures figures;

  /** A step executes on one thread. */
  private final ThreadLocal<@Nullable Bodies<I, O>> current = new ThreadLocal<>();

  /** Why the step of this thread has to stop. */
  private final ThreadLocal<@Nullable JobInterruptedException> stopped = new ThreadLocal<>();

  private ChunkingItemProcessor(Builder<I, O> builder) {
    collector = builder.collector;
    body = Objects.requireNonNull(builder.body, "there is no body; set it with body(…)");
    identity = builder.identity;
    figures = new StepFigures(collector);
  }

  /** Returns a builder for a processor whose bodies call services of this collector. */
  public static <I, O> Builder<I, O> builder(Collector collector) {
    return new Builder<>(collector);
  }

  /** Remembers the chunk. Bodies start only when the step asks for an item. */
  @Override
  public void beforeChunk(Chunk<I> chunk) {
    current.set(new Bodies<>(chunk.getItems()));
  }

  /**
   * Waits for the item's body.
   *
   * @throws Exception what the body threw; {@link JobInterruptedException} if the step's thread is
   *     interrupted or the collector is closed or aborted. That stops the step, or fails it if it
   *     is fault-tolerant; the item is never skipped
   */
  @Override
  public @Nullable O process(I item) throws Exception {
    JobInterruptedException before = stopped.get();
    if (before != null) {
      throw before;
    }
    Bodies<I, O> bodies = current.get();
    if (bodies == null) {
      throw new IllegalStateException(
          "the chunking processor received no chunk from its step: it needs a step without a task"
              + " executor that registers it as its processor, or as a listener and a stream");
    }
    Future<@Nullable O> future;
    try {
      future = bodies.take(item, this::start);
    } catch (IllegalStateException _) {
      throw stop("the collector was closed before the item was processed");
    }
    return await(future);
  }

  private JobInterruptedException stop(String why) {
    JobInterruptedException reason = new JobInterruptedException(why);
    stopped.set(reason);
    end();
    return reason;
  }

  private List<Future<@Nullable O>> start(List<I> items) {
    StepContext context = StepSynchronizationManager.getContext();
    StepExecution step = context == null ? null : context.getStepExecution();
    List<Callable<@Nullable O>> callables =
        items.stream().<Callable<@Nullable O>>map(item -> () -> run(step, item)).toList();
    return collector.startAll(callables);
  }

  private @Nullable O run(@Nullable StepExecution step, I item) throws Exception {
    CallKeys keys = new CallKeys(step, identity == null ? null : identity.apply(item));
    if (step == null) {
      return body.process(item, keys);
    }
    StepSynchronizationManager.register(step);
    try {
      return body.process(item, keys);
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
            throw stop("the collector was aborted before the item was processed");
        case Exception thrown -> throw thrown;
        case Error error -> throw error;
        case null, default -> throw e;
      }
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw stop("the step was interrupted while it waited for an item");
    } catch (CancellationException _) {
      throw stop("the collector was aborted before the item was processed");
    }
  }

  /**
   * Fails a fault-tolerant step that must stop. Otherwise it would skip the items that were not
   * processed, and commit the chunk without them.
   *
   * @throws IllegalStateException if the step is stopped and fault-tolerant
   */
  @Override
  public void onProcessError(I item, Exception exception) {
    JobInterruptedException reason = stopped.get();
    if (reason != null && !(exception instanceof JobInterruptedException)) {
      throw new IllegalStateException(
          "the step is stopped and does not skip the rest of its chunk; a restart processes it",
          reason);
    }
  }

  @Override
  public void afterChunk(Chunk<O> chunk) {
    end();
  }

  @Override
  public void onChunkError(Exception exception, Chunk<O> chunk) {
    end();
  }

  /** Ends the chunk: interrupts the bodies whose results were not requested. */
  private void end() {
    Bodies<I, O> bodies = current.get();
    if (bodies != null) {
      bodies.cancel();
      current.remove();
    }
  }

  @Override
  public void open(ExecutionContext context) {
    figures.open(context);
  }

  /** Stores the collector's figures in the step's context, in the chunk's transaction. */
  @Override
  public void update(ExecutionContext context) {
    figures.update(context);
  }

  @Override
  public void close() {
    end();
    stopped.remove();
    figures.close();
  }

  /** Builds a processor; not thread-safe. */
  public static final class Builder<I, O> {

    private final Collector collector;
    private @Nullable Body<? super I, ? extends O> body;
    private @Nullable Function<? super I, ?> identity;

    private Builder(Collector collector) {
      this.collector = collector;
    }

    /** Sets code without side effects. */
    public Builder<I, O> body(ItemProcessor<? super I, ? extends O> code) {
      return body((item, _) -> code.process(item));
    }

    /** Sets code whose calls carry idempotency keys; needs {@link #identifiedBy}. */
    public Builder<I, O> body(Body<? super I, ? extends O> code) {
      body = code;
      return this;
    }

    /**
     * Sets what identifies an item within its step, in every execution of the job instance: for
     * example a primary key or a line number. Its text becomes part of the keys of calls.
     */
    public Builder<I, O> identifiedBy(Function<? super I, ?> of) {
      identity = of;
      return this;
    }

    /**
     * Builds the processor.
     *
     * @throws NullPointerException without a body
     */
    public ChunkingItemProcessor<I, O> build() {
      return new ChunkingItemProcessor<>(this);
    }
  }
}
