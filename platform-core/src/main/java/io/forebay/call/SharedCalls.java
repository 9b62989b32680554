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

/** Lets several threads call an object that is not thread-safe, one call at a time. */
final class SharedCalls implements InvocationHandler {

  private final Object calls;

  private SharedCalls(Object calls) {
    this.calls = calls;
  }

  static <T> T of(Class<T> type, T calls) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, new SharedCalls(calls)));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return ofObject(proxy, method, arguments);
    }
    method.setAccessible(true); // the interface need not be public
    try {
      synchronized (calls) {
        return method.invoke(calls, arguments);
      }
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Object ofObject(Object proxy, Method method, Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "equals" -> arguments != null && proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> "calls, shared, of " + calls.getClass().getInterfaces()[0].getSimpleName();
    };
  }
}
