/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's clocks, waits and threads. The system property {@code forebay.crash-point} ends the
 * process at a {@link CrashPoint}:
 *
 * <ul>
 *   <li>{@code after-commit} dies when the place is reached, {@code after-commit:7} when it is
 *       reached for the seventh time;
 *   <li>{@code after-commit:7:stop} sends the process SIGSTOP there instead.
 * </ul>
 */
class RealMachine extends Machine {

  private static final @Nullable String ARMED = System.getProperty("forebay.crash-point");
  private static final String NAME = ARMED == null ? "" : ARMED.split(":")[0];
  private static final AtomicInteger REMAINING = new AtomicInteger(times());

  private final ConcurrentMap<Class<?>, Object> objects = new ConcurrentHashMap<>();

  @Override
  protected long nanoTime() {
    return System.nanoTime();
  }

  @Override
  protected Instant instant() {
    return Instant.now();
  }

  @Override
  protected void parkNanos(long nanos) {
    LockSupport.parkNanos(nanos);
  }

  @Override
  protected void parkUntilNanos(Object blocker, long deadline) {
    Parking.parkUntil(blocker, deadline);
  }

  @Override
  protected void sleepNanos(long nanos) throws InterruptedException {
    Thread.sleep(Duration.ofNanos(nanos));
  }

  @Override
  protected boolean await(long nanos, Timed timed, Untimed untimed) throws InterruptedException {
    return timed.await();
  }

  @Override
  protected Thread.Builder threadBuilder(String name) {
    return Thread.ofPlatform().daemon().name(name);
  }

  @Override
  protected RandomGenerator randomGenerator() {
    return new SplittableRandom(new SecureRandom().nextLong());
  }

  @Override
  protected UUID randomUuid() {
    return UUID.randomUUID();
  }

  @Override
  protected ConcurrentMap<Class<?>, Object> objects() {
    return objects;
  }

  @Override
  protected void crashPoint(String name) {
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
