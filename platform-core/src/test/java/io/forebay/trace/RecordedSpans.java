/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.trace;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.List;
import java.util.function.Predicate;

/** A tracer whose spans a test reads: Micrometer's, with the SDK of OpenTelemetry. */
public final class RecordedSpans implements AutoCloseable {

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final SdkTracerProvider provider;
  private final Tracer tracer;

  public RecordedSpans() {
    this(Sampler.parentBased(Sampler.alwaysOn()));
  }

  public RecordedSpans(Sampler sampler) {
    provider =
        SdkTracerProvider.builder()
            .setSampler(sampler)
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build();
    tracer = new OtelTracer(provider.get("test"), new OtelCurrentTraceContext(), _ -> {});
  }

  public Tracer tracer() {
    return tracer;
  }

  public Tracing tracing() {
    return new MicrometerTracing(tracer);
  }

  /** Runs in a span, and returns its context. */
  public TraceParent in(String name, Runnable work) {
    Span span = tracer.nextSpan().name(name).start();
    try (Tracer.SpanInScope _ = tracer.withSpan(span)) {
      work.run();
    } finally {
      span.end();
    }
    return TraceParent.of(span.context().traceId(), span.context().spanId());
  }

  /** The spans that have ended, in the order of their ends. */
  public List<SpanData> all() {
    return exporter.getFinishedSpanItems();
  }

  public List<SpanData> named(String name) {
    return all().stream().filter(span -> span.getName().equals(name)).toList();
  }

  /** Whether a span has this parent. */
  public static Predicate<SpanData> childOf(TraceParent parent) {
    return span ->
        span.getTraceId().equals(parent.traceId())
            && span.getParentSpanId().equals(parent.spanId());
  }

  /** Whether a span begins a trace and has only this link. */
  public static Predicate<SpanData> linkedTo(TraceParent linked) {
    return span ->
        !span.getParentSpanContext().isValid()
            && !span.getTraceId().equals(linked.traceId())
            && links(span).equals(List.of(linked));
  }

  public static List<TraceParent> links(SpanData span) {
    return span.getLinks().stream()
        .map(LinkData::getSpanContext)
        .map(to -> TraceParent.of(to.getTraceId(), to.getSpanId()))
        .toList();
  }

  public static TraceParent context(SpanData span) {
    return TraceParent.of(span.getTraceId(), span.getSpanId());
  }

  @Override
  public void close() {
    provider.close();
  }
}
