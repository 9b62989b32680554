/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.trace;

import io.micrometer.tracing.CurrentTraceContext;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Tracers of which methods throw. */
public final class ThrowingTracer {

  /** What they throw, each of which a tracer may throw without fault of ours. */
  public static final Throwable[] THROWN = {
    new IllegalStateException("thrown by a tracer for the test"),
    new Exception("thrown by a tracer for the test"),
    new NoClassDefFoundError("thrown by a tracer for the test"),
    new AssertionError("thrown by a tracer for the test"),
  };

  private ThrowingTracer() {}

  /** Throws whatever is asked. */
  public static Tracing ofAll(Throwable thrown) {
    return tracing(_ -> true, thrown);
  }

  /**
   * For each of {@link #THROWN}, a tracer that always throws it, and others of which one part does.
   */
  public static List<Tracing> each() {
    List<Predicate<Method>> throwing =
        List.of(
            _ -> true,
            method ->
                method.getDeclaringClass() == Span.class
                    || method.getDeclaringClass() == CurrentTraceContext.class,
            method -> method.getDeclaringClass() == Tracer.SpanInScope.class,
            method -> method.getName().equals("withSpan"),
            method -> method.getName().equals("context"));
    return Stream.of(THROWN)
        .flatMap(thrown -> throwing.stream().map(which -> tracing(which, thrown)))
        .toList();
  }

  private static Tracing tracing(Predicate<Method> throwing, Throwable thrown) {
    return new MicrometerTracing(
        answering(
            Tracer.class,
            method -> {
              if (throwing.test(method)) {
                throw thrown;
              }
            }));
  }

  /** What may throw before each method. */
  private interface Before {
    void method(Method called) throws Throwable;
  }

  /** Each method returns an object of the same kind; a context is sampled and has ids. */
  private static <T> T answering(Class<T> type, Before before) {
    Function<Class<?>, Object> other = returned -> answering(returned, before);
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, _) -> {
              before.method(method);
              Class<?> returned = method.getReturnType();
              if (returned == void.class) {
                return null;
              }
              if (method.getDeclaringClass() == TraceContext.class) {
                return switch (method.getName()) {
                  case "traceId" -> "4bf92f3577b34da6a3ce929d0e0e4736";
                  case "sampled" -> true;
                  default -> "00f067aa0ba902b7";
                };
              }
              return returned == type ? proxy : other.apply(returned);
            }));
  }
}
