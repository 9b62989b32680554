/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes the temporary directories of tests. They are in the file system in memory that the build
 * names ({@code forebay.test.memory}), if there is one with enough room: to create, force and
 * delete files on a disk takes a good part of the time of a build. With {@code -Pproof} they are on
 * the disk.
 */
public final class TestFiles implements TempDirFactory {

  private static final String MEMORY = System.getProperty("forebay.test.memory", "");
  private static final long ENOUGH_BYTES = 4L << 30;

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
      throws IOException {
    return directory("junit-");
  }

  /** A new directory. The caller deletes it. */
  public static Path directory(String prefix) throws IOException {
    Path memory = Path.of(MEMORY);
    boolean enough =
        !MEMORY.isEmpty()
            && Files.isWritable(memory)
            && Files.getFileStore(memory).getUsableSpace() > ENOUGH_BYTES;
    return enough ? Files.createTempDirectory(memory, prefix) : Files.createTempDirectory(prefix);
  }
}
