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

  public MicrometerTracing(Tracer tracer) {
    this.tracer = tracer;
  }

  @Override
  public @Nullable TraceParent current() {
    return parent(tracer.currentTraceContext().context());
  }

  private static @Nullable TraceParent parent(@Nullable TraceContext context) {
    return context != null && Boolean.TRUE.equals(context.sampled())
        ? TraceParent.of(context.traceId(), context.spanId())
        : null;
  }

  @Override
  public Span start(
      String name, @Nullable TraceParent parent, List<TraceParent> links, Instant at) {
    try {
      return started(name, parent, links, at);
    } catch (RuntimeException e) {
      log.debug("Span lost: {}", name, e);
      return NONE.start(name, parent, links, at);
    }
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
      return parent(span.context());
    }

    @Override
    public Current makeCurrent() {
      return tracer.withSpan(span)::close;
    }

    @Override
    public void end(Instant at) {
      try {
        span.end(nanos(at), NANOSECONDS);
      } catch (RuntimeException e) {
        log.debug("Span lost", e);
      }
    }

    @Override
    public void fail(String error, Instant at) {
      span.tag("error.type", error).error(new Failed(error));
      end(at);
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
