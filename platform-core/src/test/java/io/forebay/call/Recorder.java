/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Records the calls of a protocol. */
final class Recorder<T> {

  /** One call, with an array of arguments as a list, and the message that was current. */
  record Call(String method, List<Object> arguments, Message message) {

    /** The arguments behind the fixed ones. */
    List<?> varargs() {
      return (List<?>) arguments.getLast();
    }
  }

  private final List<Call> calls = new ArrayList<>();
  private final T target;

  @SuppressWarnings("unchecked")
  Recorder(Class<T> type) {
    target =
        (T)
            Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> {
                  List<Object> list = new ArrayList<>();
                  for (Object arg : args == null ? new Object[0] : args) {
                    list.add(arg instanceof Object[] array ? Arrays.asList(array) : arg);
                  }
                  calls.add(new Call(method.getName(), list, Message.currentOrNull()));
                  return null;
                });
  }

  T target() {
    return target;
  }

  List<Call> calls() {
    return calls;
  }

  Call last() {
    return calls.getLast();
  }
}
