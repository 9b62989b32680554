/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * A body on its virtual thread. When it ends, the collector is notified before those that wait for
 * the body.
 */
final class BodyTask<T extends @Nullable Object> extends FutureTask<T> {

  private static final ScopedValue<BodyTask<?>> CURRENT = ScopedValue.newInstance();

  final CollectorMonitor monitor;
  private @Nullable Thread thread;

  BodyTask(CollectorMonitor monitor, Callable<T> callable) {
    super(callable);
    this.monitor = monitor;
  }

  /** The body that the current thread runs or belongs to; null if there is none. */
  static @Nullable BodyTask<?> current() {
    return CURRENT.isBound() ? CURRENT.get() : null;
  }

  /** Whether the current thread runs a body of this collector. */
  static boolean isCurrent(CollectorMonitor monitor) {
    BodyTask<?> body = current();
    return body != null && body.monitor == monitor && body.isOnItsThread();
  }

  /**
   * Whether this is the body's own thread. Threads that a body starts do not count, even if they
   * inherit its scoped values.
   */
  boolean isOnItsThread() {
    return thread == Thread.currentThread();
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
      monitor.ended(this);
    }
  }

  @Override
  protected void set(T value) {
    monitor.ended(this);
    super.set(value);
  }

  @Override
  protected void setException(Throwable failure) {
    monitor.ended(this);
    super.setException(failure);
  }
}
