/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

/**
 * The main class of {@code forebay.jar}. It is compiled for Java 17, so that a JVM that is too old
 * for Forebay prints what it needs instead of a stack trace.
 */
final class Start {

  private static final int REQUIRED = 25;

  private Start() {}

  public static void main(String[] args) throws ReflectiveOperationException {
    int present = Runtime.version().feature();
    if (present < REQUIRED) {
      System.err.printf(
          "Forebay needs Java %d or later; this is Java %d (%s). Start it with a newer java.%n",
          REQUIRED, present, System.getProperty("java.home"));
      System.exit(1);
    }
    Class.forName("io.forebay.app.Forebay")
        .getMethod("main", String[].class)
        .invoke(null, (Object) args);
  }
}
