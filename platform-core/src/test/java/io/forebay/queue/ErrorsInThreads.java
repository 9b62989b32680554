/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;

/** Queues that throw an error, once per request, when a thread of a certain name reads them. */
public final class ErrorsInThreads {

  private final String thread;
  private final AtomicReference<Throwable> next = new AtomicReference<>();
  private volatile CountDownLatch held = new CountDownLatch(0);

  /**
   * @param thread the prefix of the threads' names
   */
  public ErrorsInThreads(String thread) {
    this.thread = thread;
  }

  /** Makes the next read in such a thread throw this. */
  public void next(Throwable error) {
    next.set(error);
  }

  /** Makes reads in such a thread wait. */
  public void hold(CountDownLatch until) {
    held = until;
  }

  /** Whether it was thrown. */
  public boolean isThrown() {
    return next.get() == null;
  }

  public QueueBackend over(QueueBackend backend) {
    return over(QueueBackend.class, backend);
  }

  private <T> T over(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              if (method.getName().equals("poll")
                  && Thread.currentThread().getName().startsWith(thread)) {
                held.await();
                Throwable error = next.getAndSet(null);
                if (error != null) {
                  throw error;
                }
              }
              Object result;
              try {
                result = method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              return switch (result) {
                case MessageQueue queue -> over(MessageQueue.class, queue);
                case Tailer tailer -> over(Tailer.class, tailer);
                case IntFunction<?> followers -> over(IntFunction.class, followers);
                case null, default -> result;
              };
            }));
  }
}
