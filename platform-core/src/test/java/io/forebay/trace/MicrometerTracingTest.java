/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.tracing.Tracer;
import java.lang.reflect.Proxy;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class MicrometerTracingTest {

  private static final TraceParent CALLER =
      TraceParent.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

  /** As Micrometer does if a listener of the application throws. */
  private static Tracer throwingWhenASpanIsCurrent(Tracer tracer) {
    return (Tracer)
        Proxy.newProxyInstance(
            Tracer.class.getClassLoader(),
            new Class<?>[] {Tracer.class},
            (_, method, args) -> {
              Object returned = method.invoke(tracer, args);
              if (method.getName().equals("withSpan")) {
                throw new IllegalStateException("thrown for the test");
              }
              return returned;
            });
  }

  @Test
  void aSpanThatCannotBeMadeCurrentIsNotCurrentAfterwards() {
    try (RecordedSpans spans = new RecordedSpans()) {
      Tracing tracing = new MicrometerTracing(throwingWhenASpanIsCurrent(spans.tracer()));
      Tracing.Span span = tracing.process("shop.in", CALLER, false, Instant.EPOCH);
      try (Tracing.Current _ = span.makeCurrent()) {
        assertThat(tracing.current()).isNull();
      }
      span.end(null, Instant.EPOCH);
      assertThat(spans.named("process shop.in"))
          .singleElement()
          .matches(RecordedSpans.childOf(CALLER));
    }
  }
}
