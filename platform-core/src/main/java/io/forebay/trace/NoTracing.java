/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.trace;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records nothing. */
final class NoTracing implements Tracing, Tracing.Span {

  @Override
  public @Nullable TraceParent current() {
    return null;
  }

  @Override
  public Span start(
      String name, @Nullable TraceParent parent, List<TraceParent> links, Instant at) {
    return this;
  }

  @Override
  public @Nullable TraceParent context() {
    return null;
  }

  @Override
  public Current makeCurrent() {
    return () -> {};
  }

  @Override
  public void end(@Nullable String error, Instant at) {}
}
