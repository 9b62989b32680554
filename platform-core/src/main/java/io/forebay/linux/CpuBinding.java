/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binds the threads of a service to CPUs ({@code sched_setaffinity(2)}): each of them to all of the
 * CPUs, among which the kernel moves it. If that is impossible, they run as before, and one warning
 * says why. Thread-safe.
 */
public final class CpuBinding {

  private static final Logger log = LoggerFactory.getLogger(CpuBinding.class);
  private static final int CALLING_THREAD = 0;
  private static final int EPERM = 1;
  private static final int EINVAL = 22;

  private final String threads;
  private final @Nullable CpuSet cpus;
  private final AtomicBoolean logged = new AtomicBoolean();

  /** The functions of the C library; found when the first thread is bound. */
  private static final class Functions {

    private static final FunctionDescriptor TYPE =
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
    private static final @Nullable MethodHandle SET = LinuxFunction.find("sched_setaffinity", TYPE);
    private static final @Nullable MethodHandle GET = LinuxFunction.find("sched_getaffinity", TYPE);
  }

  /**
   * @param threads names them in the log, such as {@code service orders}
   * @param cpus null: they are not bound
   */
  public CpuBinding(String threads, @Nullable CpuSet cpus) {
    this.threads = threads;
    this.cpus = cpus;
  }

  /** Binds the current thread. The first call logs what came of it. */
  public void bind() {
    CpuSet wanted = cpus;
    if (wanted == null) {
      return;
    }
    MethodHandle set = Functions.SET;
    MethodHandle get = Functions.GET;
    if (set == null || get == null) {
      notBound(wanted, "that needs Linux, and a JVM with --enable-native-access=ALL-UNNAMED");
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = LinuxFunction.state(arena);
      MemorySegment mask = arena.allocate(CpuSet.LIMIT / Byte.SIZE, Long.BYTES);
      mask.copyFrom(MemorySegment.ofArray(wanted.mask()));
      int failed = (int) set.invokeExact(state, CALLING_THREAD, mask.byteSize(), mask);
      if (failed != 0) {
        notBound(wanted, reason(LinuxFunction.errno(state)));
        return;
      }
      mask.fill((byte) 0);
      boolean known = (int) get.invokeExact(state, CALLING_THREAD, mask.byteSize(), mask) == 0;
      bound(wanted, known ? CpuSet.ofMask(mask.toArray(ValueLayout.JAVA_BYTE)) : wanted);
    } catch (Throwable e) {
      notBound(wanted, e.toString());
    }
  }

  private static String reason(int errno) {
    return switch (errno) {
      case EPERM -> "this process has no permission to (EPERM)";
      case EINVAL ->
          "this process may use none of them (EINVAL); its host or container has other CPUs";
      default -> "the kernel refused it (errno=%d)".formatted(errno);
    };
  }

  private void bound(CpuSet wanted, CpuSet actual) {
    if (logged.getAndSet(true)) {
      return;
    }
    if (actual.equals(wanted)) {
      log.info("Threads of {} are bound to CPUs {}", threads, actual);
    } else {
      log.warn(
          "Threads of {} are bound only to CPUs {} of {}: this process may not use the others; its host or container has other CPUs",
          threads,
          actual,
          wanted);
    }
  }

  private void notBound(CpuSet wanted, String why) {
    if (!logged.getAndSet(true)) {
      log.warn("Threads of {} are not bound to CPUs {}: {}; they run on any", threads, wanted, why);
    }
  }
}
