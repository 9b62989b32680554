/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** A body on its virtual thread. The collector hears of its end before whoever waits for it. */
final class Body<T extends @Nullable Object> extends FutureTask<T> {

  private static final ScopedValue<Body<?>> CURRENT = ScopedValue.newInstance();

  private final Collector collector;
  private @Nullable Thread thread;

  Body(Collector collector, Callable<T> callable) {
    super(callable);
    this.collector = collector;
  }

  /**
   * Whether the current thread is that of a body of this collector. Threads that a body starts are
   * not, even where they inherit its scoped values.
   */
  static boolean isCurrent(Collector collector) {
    if (!CURRENT.isBound()) {
      return false;
    }
    Body<?> body = CURRENT.get();
    return body.collector == collector && body.thread == Thread.currentThread();
  }

  void start(Thread.Builder.OfVirtual builder) {
    try {
      builder.start(this);
    } catch (Throwable e) {
      setException(e);
    }
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    try {
      ScopedValue.where(CURRENT, this).run(super::run);
    } finally {
      collector.ended(this);
    }
  }

  @Override
  protected void set(T value) {
    collector.ended(this);
    super.set(value);
  }

  @Override
  protected void setException(Throwable failure) {
    collector.ended(this);
    super.setException(failure);
  }
}
