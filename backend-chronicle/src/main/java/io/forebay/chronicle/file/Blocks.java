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
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The disk space that a file uses. Java reports only a file's length, but Chronicle's files are
 * sparse: a new file is tens of MB long and the file system allocates only the blocks that were
 * written. Available on Linux, through {@code statx(2)}; unknown elsewhere. Thread-safe; takes
 * about a microsecond.
 */
public final class Blocks {

  private static final int CURRENT_DIRECTORY = -100;
  private static final int MASK_BLOCKS = 0x400;
  private static final long STRUCT_BYTES = 256;
  private static final long OFFSET_MASK = 0;
  private static final long OFFSET_BLOCKS = 48;
  private static final long BLOCK_BYTES = 512;

  private static final @Nullable MethodHandle STATX =
      LinuxFunction.find(
          "statx",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS));

  private Blocks() {}

  /** Bytes allocated on disk, including those not yet written back; empty if unknown. */
  public static OptionalLong allocated(Path file) {
    MethodHandle statx = STATX;
    if (statx == null) {
      return OptionalLong.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment result = arena.allocate(STRUCT_BYTES, Long.BYTES);
      int failed =
          (int)
              statx.invokeExact(
                  LinuxFunction.state(arena),
                  CURRENT_DIRECTORY,
                  arena.allocateFrom(file.toString()),
                  0,
                  MASK_BLOCKS,
                  result);
      boolean told =
          failed == 0 && (result.get(ValueLayout.JAVA_INT, OFFSET_MASK) & MASK_BLOCKS) != 0;
      return told
          ? OptionalLong.of(result.get(ValueLayout.JAVA_LONG, OFFSET_BLOCKS) * BLOCK_BYTES)
          : OptionalLong.empty();
    } catch (Throwable e) {
      throw new IllegalStateException("statx of " + file, e);
    }
  }
}
