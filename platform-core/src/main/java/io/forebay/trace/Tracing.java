/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.trace;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Knows the current span, and records spans. Throws nothing. Thread-safe. */
public interface Tracing {

  /** For a process without a tracer: no span is current, and none is recorded. */
  Tracing NONE = new NoTracing();

  /**
   * The context of the current span of this thread; null if there is none, or it is not sampled.
   */
  @Nullable TraceParent current();

  /**
   * Starts a span.
   *
   * @param parent null to begin a trace
   */
  Span start(String name, @Nullable TraceParent parent, List<TraceParent> links, Instant at);

  /**
   * Starts the span of a message that a queue delivered.
   *
   * @param caller the context that the message carries
   * @param again whether the message was performed before, or an operator sent it again
   */
  default Span process(String queue, TraceParent caller, boolean again, Instant at) {
    String name = "process " + queue;
    return again ? start(name, null, List.of(caller), at) : start(name, caller, List.of(), at);
  }

  /** A span that has started. For one thread. */
  interface Span {

    /** Its context; null if it is not sampled. */
    @Nullable TraceParent context();

    /** Makes it the current span of this thread until the result is closed. */
    Current makeCurrent();

    /**
     * Ends it.
     *
     * @param error a class or code, without values of the message; null if it has not failed
     */
    void end(@Nullable String error, Instant at);
  }

  /** Ends the time in which a span is current. */
  interface Current extends AutoCloseable {
    @Override
    void close();
  }
}
