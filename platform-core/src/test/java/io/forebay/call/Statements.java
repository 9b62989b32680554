/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

/** The protocol of the tests: not public, with a method that is not part of it. */
interface Statements {

  void executeQuery(String query, Class<?> resultType, Object... args);

  void executeUpdate(String query, Object... args);

  default void executeAll(String query, Object... args) {
    for (Object arg : args) {
      executeUpdate(query, arg);
    }
  }

  static String ignored() {
    return "not part of the protocol";
  }
}
