/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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
 * @Bean
 * ChunkingItemProcessor<Contract, Letter> letters(
 *     @Chunked("customers") ChunkedService<Long, Customer> customers) {
 *   return ChunkingItemProcessor.of(
 *       contract -> new Letter(contract, customers.call(contract.owner())));
 * }
 * }</pre>
 *
 * <p>As with any processor, the step asks for one item after the other, and gets what the item's
 * body returned or threw: order, filter, skip, retry, listeners, counters and restart are handled
 * by the step. The bodies of a step chunk start when the step asks for its first item; a retry runs
 * the item's body again. In a step with a task executor, a body starts when the executor processes
 * its item.
 *
 * <p>Bodies run outside the step's transaction, and bodies of later items run even if an earlier
 * one fails. When the step fails or the process dies, the items of the chunk are processed again
 * after a restart: a call with side effects must carry a key of {@link CallKeys}, which is the same
 * again. Step-scoped beans are those of the step.
 *
 * <p>Each step execution, also each partition, has a {@link io.forebay.chunk.CallCollector
 * collector} of its own, which collects the calls of its bodies. Its figures are kept in the step's
 * execution context. A step registers its processor as a listener and a stream. If the processor is
 * hidden behind a proxy or in a composite, register it with {@code listener} and {@code stream}.
 *
 * <p>Outside of a step, {@link #process} runs the body on the caller's thread, as in a unit test of
 * the body. Thread-safe: concurrent steps may share one.
 *
 * @param <I> the items that are read
 * @param <O> the items that are written
 */
public final class ChunkingItemProcessor<I, O>
    implements ItemProcessor<I, O>, ItemProcessListener<I, O>, ChunkListener<I, O>, ItemStream {

  /** The code for one item, whose calls carry idempotency keys. */
  @FunctionalInterface
  public interface KeyedBody<I, O> {

    /**
     * Processes an item, on a virtual thread.
     *
     * @param keys for calls with side effects
     * @return null to filter the item
     * @throws Exception any; it is passed to the step
     */
    @Nullable O process(I item, CallKeys keys) throws Exception;
  }

  /** The code for one item in a step. */
  interface Body<I, O> {
    @Nullable O process(I item, @Nullable StepExecution step) throws Exception;
  }

  private final Body<? super I, ? extends O> body;
  private final boolean keyed;
  private final Map<StepExecution, StepRun<I, O>> runs = new ConcurrentHashMap<>();

  private ChunkingItemProcessor(Body<? super I, ? extends O> body, boolean keyed) {
    this.body = body;
    this.keyed = keyed;
  }

  /**
   * A processor whose calls need no keys, because their services have no effects or do them twice
   * without harm.
   *
   * @param body the code for one item; it returns null to filter the item
   */
  public static <I, O> ChunkingItemProcessor<I, O> of(ItemProcessor<? super I, ? extends O> body) {
    return new ChunkingItemProcessor<>(
        (I item, @Nullable StepExecution _) -> body.process(item), false);
  }

  /**
   * A processor whose calls carry idempotency keys.
   *
   * @param identity what identifies an item within its step, in every execution of the job
   *     instance: for example a primary key or a line number. Its text becomes part of the keys
   * @param body the code for one item
   */
  public static <I, O> ChunkingItemProcessor<I, O> keyedBy(
      Function<? super I, ?> identity, KeyedBody<? super I, ? extends O> body) {
    return new ChunkingItemProcessor<>(
        (I item, @Nullable StepExecution step) ->
            body.process(
                item,
                new CallKeys(
                    step, Objects.requireNonNull(identity.apply(item), "an item has no identity"))),
        true);
  }

  private static @Nullable StepExecution step() {
    StepContext context = StepSynchronizationManager.getContext();
    return context == null ? null : context.getStepExecution();
  }

  private @Nullable StepRun<I, O> run() {
    StepExecution step = step();
    return step == null ? null : runs.get(step);
  }

  /**
   * @throws IllegalStateException if the step repeats a chunk whose keys services may have
   *     forgotten
   */
  @Override
  public void open(ExecutionContext context) {
    StepExecution step = step();
    if (step != null) {
      if (keyed) {
        CallKeys.mustBeRemembered(step);
      }
      runs.computeIfAbsent(step, it -> new StepRun<>(body, it));
    }
  }

  @Override
  public void beforeChunk(Chunk<I> chunk) {
    StepRun<I, O> run = run();
    if (run != null) {
      run.begin(chunk.getItems());
    }
  }

  /**
   * Waits for the item's body.
   *
   * @throws Exception what the body threw; {@link JobInterruptedException} if the waiting thread is
   *     interrupted or the application closes the processor. That stops the step, or fails it if it
   *     is fault-tolerant or has a task executor; the item is never skipped
   */
  @Override
  public @Nullable O process(I item) throws Exception {
    StepExecution step = step();
    if (step == null) {
      return body.process(item, null);
    }
    return opened(step).process(item);
  }

  private StepRun<I, O> opened(StepExecution step) {
    StepRun<I, O> run = runs.get(step);
    if (run == null) {
      throw new IllegalStateException(
          "step %s did not open its chunking processor; register the processor as a listener and a stream of the step"
              .formatted(step.getStepName()));
    }
    return run;
  }

  /**
   * Fails a fault-tolerant step that must stop. Otherwise it would skip the items that were not
   * processed, and commit the chunk without them.
   *
   * @throws IllegalStateException if the step is stopped and fault-tolerant
   */
  @Override
  public void onProcessError(I item, Exception exception) {
    StepExecution step = step();
    JobInterruptedException reason = step == null ? null : opened(step).stopped();
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

  private void end() {
    StepRun<I, O> run = run();
    if (run != null) {
      run.end();
    }
  }

  /** Stores the collector's figures in the step's context, in the chunk's transaction. */
  @Override
  public void update(ExecutionContext context) {
    StepRun<I, O> run = run();
    if (run != null) {
      run.update(context);
    }
  }

  /**
   * Called by a step, ends its calls and bodies. Called by the application, which closes its beans,
   * it does so for all steps; they stop, and can be restarted.
   */
  @Override
  public void close() {
    StepExecution step = step();
    if (step == null) {
      runs.values().forEach(StepRun::abort);
      return;
    }
    StepRun<I, O> run = runs.remove(step);
    if (run != null) {
      run.end();
      run.abort();
    }
  }
}
