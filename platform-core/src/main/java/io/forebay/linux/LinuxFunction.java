/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** Finds functions of the C library that call the kernel. Thread-safe. */
public final class LinuxFunction {

  private static final String ERRNO = "errno";
  private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle LAST_ERROR =
      STATE.varHandle(MemoryLayout.PathElement.groupElement(ERRNO));

  private LinuxFunction() {}

  /**
   * Finds a function.
   *
   * @param type its parameters and result; the handle has one more parameter in front of them, a
   *     {@link #state}
   * @return null if this is not Linux, the C library has no such function, or the JVM does not
   *     allow native access
   */
  @SuppressWarnings("restricted") // --enable-native-access allows it
  public static @Nullable MethodHandle find(String name, FunctionDescriptor type) {
    if (!System.getProperty("os.name").equals("Linux")) {
      return null;
    }
    Linker linker = Linker.nativeLinker();
    try {
      return linker
          .defaultLookup()
          .find(name)
          .map(symbol -> linker.downcallHandle(symbol, type, Linker.Option.captureCallState(ERRNO)))
          .orElse(null);
    } catch (IllegalCallerException e) {
      return null;
    }
  }

  /** Allocates what a call needs to report its error. */
  public static MemorySegment state(Arena arena) {
    return arena.allocate(STATE);
  }

  /** The error number of a call that failed. */
  public static int errno(MemorySegment state) {
    return (int) LAST_ERROR.get(state, 0L);
  }
}
