/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.linux.LinuxFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Makes pages of a mapped file resident and writable without changing them: {@code madvise(2)} with
 * {@code MADV_POPULATE_WRITE}, Linux 5.14 or later. It does what the first write to each page would
 * do, with the blocks of a sparse file, but a full disk is an error code and no signal.
 * Thread-safe.
 */
final class Pages {

  static final int BYTES = 4096;

  private static final int POPULATE_WRITE = 23;
  private static final int EINVAL = 22;

  private static final @Nullable MethodHandle MADVISE =
      LinuxFunction.find(
          "madvise",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT));

  private Pages() {}

  /**
   * @param address of a page that is mapped, and stays so during the call
   * @param bytes of whole pages
   * @return false if it is not possible now; the disk may be full
   * @throws UnsupportedOperationException if this system cannot do it
   */
  static boolean populate(long address, long bytes) {
    int error = EINVAL;
    MethodHandle madvise = MADVISE;
    if (madvise != null) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment state = LinuxFunction.state(arena);
        int failed = (int) madvise.invokeExact(state, address, bytes, POPULATE_WRITE);
        error = failed == 0 ? 0 : LinuxFunction.errno(state);
      } catch (Throwable e) {
        throw new IllegalStateException("madvise of %,d bytes".formatted(bytes), e);
      }
    }
    if (error == EINVAL) {
      throw new UnsupportedOperationException("no MADV_POPULATE_WRITE");
    }
    return error == 0;
  }
}
