/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A place in the code at which a test can end the process as if it was killed there. Does nothing,
 * at no cost, unless the system property {@code forebay.crash-point} names the place at start:
 *
 * <ul>
 *   <li>{@code after-commit} dies when the place is reached, {@code after-commit:7} when it is
 *       reached for the seventh time;
 *   <li>{@code after-commit:7:stop} sends the process SIGSTOP there instead.
 * </ul>
 */
public final class CrashPoint {

  private static final @Nullable String ARMED = System.getProperty("forebay.crash-point");
  private static final String NAME = ARMED == null ? "" : ARMED.split(":")[0];
  private static final AtomicInteger REMAINING = new AtomicInteger(times());

  private CrashPoint() {}

  public static void hit(String name) {
    if (ARMED != null && NAME.equals(name) && REMAINING.decrementAndGet() == 0) {
      die();
    }
  }

  private static int times() {
    String[] parts = ARMED == null ? new String[0] : ARMED.split(":");
    return parts.length > 1 ? Integer.parseInt(parts[1]) : 1;
  }

  private static void die() {
    if (ARMED == null || !ARMED.endsWith(":stop")) {
      Runtime.getRuntime().halt(137);
      return;
    }
    try {
      long pid = ProcessHandle.current().pid();
      new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
