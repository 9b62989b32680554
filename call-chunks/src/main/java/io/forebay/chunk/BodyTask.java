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

  private final Session session;
  private @Nullable Thread thread;

  BodyTask(Session session, Callable<T> callable) {
    super(callable);
    this.session = session;
  }

  /**
   * Whether the current thread runs a body of this session. Threads that a body starts do not
   * count, even if they inherit its scoped values.
   */
  static boolean isCurrent(Session session) {
    if (!CURRENT.isBound()) {
      return false;
    }
    BodyTask<?> body = CURRENT.get();
    return body.session == session && body.thread == Thread.currentThread();
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
      session.ended(this);
    }
  }

  @Override
  protected void set(T value) {
    session.ended(this);
    super.set(value);
  }

  @Override
  protected void setException(Throwable failure) {
    session.ended(this);
    super.setException(failure);
  }
}
