/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.queue.QueueUnavailable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Writer} for several threads, which append one call at a time; a call allocates.
 *
 * <p>A call without a result may wait until the queue has accepted it. If it does not, and a server
 * refuses the message after the call returned, only that message is lost, and the log names it.
 * Thread-safe.
 *
 * @param <T> the protocol's interface
 */
public final class SharedWriter<T> implements AutoCloseable {

  private final T calls;
  private final Writer<T> writer;
  private final Duration await;

  /**
   * @param type the protocol's interface
   * @param writer used and closed by this one only
   * @param await how long a call without a result waits until the queue has accepted it; zero: it
   *     does not wait
   */
  public SharedWriter(Class<T> type, Writer<T> writer, Duration await) {
    this.writer = writer;
    this.await = await;
    this.calls =
        type.cast(
            Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, new Calls(type.getSimpleName())));
  }

  /**
   * The object whose calls are appended; always the same object. It throws like a writer, and
   * {@link QueueUnavailable} if the queue does not accept a call in time; the call may still be
   * performed.
   */
  public T calls() {
    return calls;
  }

  @Override
  public synchronized void close() {
    writer.close();
  }

  private @Nullable Object append(Method method, Object @Nullable [] arguments) throws Throwable {
    Object result;
    long before;
    long last;
    synchronized (this) {
      before = writer.lastTicket();
      try {
        result = method.invoke(writer.calls(), arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
      last = writer.lastTicket();
    }
    if (result == null && await.isPositive()) {
      for (long ticket = before + 1; ticket <= last; ticket++) {
        awaitAccepted(ticket);
      }
    }
    return result;
  }

  private void awaitAccepted(long ticket) {
    try {
      writer.await(ticket, await);
    } catch (TimeoutException e) {
      throw new QueueUnavailable("%s; it may still be performed".formatted(e.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueueUnavailable("interrupted before the queue accepted the call", e);
    }
  }

  private final class Calls implements InvocationHandler {

    private final String type;

    Calls(String type) {
      this.type = type;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      if (method.getDeclaringClass() == Object.class) {
        return ofObject(proxy, method, arguments);
      }
      method.setAccessible(true); // the interface need not be public
      return append(method, arguments);
    }

    private Object ofObject(Object proxy, Method method, Object @Nullable [] arguments) {
      return switch (method.getName()) {
        case "equals" -> arguments != null && proxy == arguments[0];
        case "hashCode" -> System.identityHashCode(proxy);
        default -> "calls, shared, of " + type;
      };
    }
  }
}
