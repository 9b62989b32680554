/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Writer} for several threads, which make one call at a time; a call allocates.
 *
 * <p>If a server refuses a message after its call returned, only that message is lost, and the log
 * names it. Thread-safe.
 *
 * @param <T> the protocol's interface
 */
public final class SharedWriter<T> implements AutoCloseable {

  private final T calls;
  private final Writer<T> writer;

  /**
   * @param type the protocol's interface
   * @param writer used and closed by this one only
   */
  public SharedWriter(Class<T> type, Writer<T> writer) {
    this.writer = writer;
    this.calls =
        type.cast(
            Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, new Calls(type.getSimpleName())));
  }

  /** The object whose calls are appended; always the same object. It throws like a writer. */
  public T calls() {
    return calls;
  }

  @Override
  public synchronized void close() {
    writer.close();
  }

  private synchronized @Nullable Object append(Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(writer.calls(), arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
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
