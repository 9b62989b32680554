/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.trace;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.micrometer.tracing.Link;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Uses a tracer of Micrometer, which the application configures and whose spans it exports. If the
 * tracer throws, the span is lost, and no message fails. Needs the library {@code
 * micrometer-tracing}. Thread-safe.
 */
public final class MicrometerTracing implements Tracing {

  private static final Logger log = LoggerFactory.getLogger(MicrometerTracing.class);

  private final Tracer tracer;

  /** Made once, because most calls have no sampled span, and must not allocate. */
  private final Supplier<@Nullable TraceParent> current;

  public MicrometerTracing(Tracer tracer) {
    this.tracer = tracer;
    this.current = () -> parent(tracer.currentTraceContext().context());
  }

  @Override
  public @Nullable TraceParent current() {
    return guarded(current, null);
  }

  /** If the tracer throws, the work has another result. */
  private static <R extends @Nullable Object> R guarded(Supplier<R> work, R otherwise) {
    try {
      return work.get();
    } catch (Exception | LinkageError | AssertionError e) {
      log.debug("Span lost", e);
      return otherwise;
    }
  }

  private static void guarded(Runnable work) {
    guarded(
        () -> {
          work.run();
          return true;
        },
        false);
  }

  private static @Nullable TraceParent parent(@Nullable TraceContext context) {
    return context != null && Boolean.TRUE.equals(context.sampled())
        ? TraceParent.of(context.traceId(), context.spanId())
        : null;
  }

  @Override
  public Span start(
      String name, @Nullable TraceParent parent, List<TraceParent> links, Instant at) {
    return guarded(() -> started(name, parent, links, at), NONE.start(name, parent, links, at));
  }

  private Span started(
      String name, @Nullable TraceParent parent, List<TraceParent> links, Instant at) {
    io.micrometer.tracing.Span.Builder builder =
        tracer
            .spanBuilder()
            .name(name)
            .kind(io.micrometer.tracing.Span.Kind.CONSUMER)
            .startTimestamp(nanos(at), NANOSECONDS);
    if (parent == null) {
      builder.setNoParent();
    } else {
      builder.setParent(context(parent));
    }
    links.forEach(link -> builder.addLink(new Link(context(link))));
    return new Started(builder.start());
  }

  private TraceContext context(TraceParent of) {
    return tracer
        .traceContextBuilder()
        .traceId(of.traceId())
        .spanId(of.spanId())
        .sampled(true)
        .build();
  }

  private static long nanos(Instant at) {
    return ChronoUnit.NANOS.between(Instant.EPOCH, at);
  }

  private final class Started implements Span {

    private final io.micrometer.tracing.Span span;

    Started(io.micrometer.tracing.Span span) {
      this.span = span;
    }

    @Override
    public @Nullable TraceParent context() {
      return guarded(() -> parent(span.context()), null);
    }

    @Override
    public Current makeCurrent() {
      Tracer.SpanInScope scope = guarded(() -> tracer.withSpan(span), null);
      if (scope == null) { // perhaps it is current nevertheless
        guarded(() -> tracer.currentTraceContext().maybeScope(null));
        return () -> {};
      }
      return () -> guarded(scope::close);
    }

    @Override
    public void end(@Nullable String error, Instant at) {
      if (error != null) {
        guarded(() -> span.tag("error.type", error).error(new Failed(error)));
      }
      guarded(() -> span.end(nanos(at), NANOSECONDS));
    }
  }

  /** A span takes an exception as its error; that of the component may contain values. */
  private static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1;

    Failed(String error) {
      super(error, null, false, false);
    }
  }
}
