/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import io.forebay.trace.TraceParent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Calls that are sent together, and the virtual thread that performs them. */
final class CallChunk<A, R extends @Nullable Object> {

  /** The chunk that the current thread performs. */
  static final ScopedValue<CallChunk<?, ?>> PERFORMING = ScopedValue.newInstance();

  final CollectedService<A, R> collected;
  final List<CollectedCall<A, R>> calls;

  final long leftNanos;

  private final Thread thread;
  private volatile @Nullable CompletionStage<?> stage;
  private volatile boolean cancelled;

  CallChunk(CollectedService<A, R> collected, List<CollectedCall<A, R>> calls, long leftNanos) {
    this.collected = collected;
    this.calls = calls;
    this.leftNanos = leftNanos;
    String name = "forebay-chunk-" + collected.service.name();
    thread = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  /** Starts to perform the calls. Never throws: an error fails the chunk. */
  void start() {
    try {
      thread.start();
    } catch (Throwable e) {
      collected.finish(this, ChunkOutcome.failed(e));
    }
  }

  /** Cancels the calls: no caller waits for them any more. */
  void cancel() {
    cancelled = true;
    thread.interrupt();
    // On another thread: dependents of the stage may block or throw, and this may be the ticker's
    // thread.
    Thread.ofVirtual().start(this::cancelStage);
  }

  private void cancelStage() {
    if (stage instanceof Future<?> future) {
      future.cancel(true);
    }
  }

  void wake() {
    calls.forEach(CollectedCall::wake);
  }

  /** The trace of the first call that has one. */
  @Nullable TraceParent trace() {
    for (CollectedCall<A, R> call : calls) {
      if (call.trace != null) {
        return call.trace;
      }
    }
    return null;
  }

  private void run() {
    ScopedValue.where(PERFORMING, this).run(this::perform);
  }

  private void perform() {
    List<A> arguments = new ArrayList<>(calls.size());
    for (CollectedCall<A, R> call : calls) {
      arguments.add(call.argument);
    }
    try {
      CompletionStage<List<Reply<R>>> answered =
          collected.service.function().perform(Collections.unmodifiableList(arguments));
      stage = answered;
      if (cancelled) {
        cancelStage();
      }
      answered.whenComplete((replies, failure) ->
          collected.finish(
              this,
              failure == null
                  ? ChunkOutcome.of(replies, calls.size())
                  : ChunkOutcome.failed(failure)));
    } catch (Throwable e) {
      // Catches errors too; otherwise the callers would wait until they time out.
      collected.finish(this, ChunkOutcome.failed(e));
    }
  }
}
