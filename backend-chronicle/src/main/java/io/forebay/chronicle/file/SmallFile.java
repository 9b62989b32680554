/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A small text file that is replaced as a whole: after a crash it has either the old or the new
 * content.
 */
public final class SmallFile {

  private SmallFile() {}

  public static void replace(Path file, String content) throws IOException {
    DurableFiles.replace(file, content.getBytes(StandardCharsets.UTF_8), Permissions.file());
  }

  /** Makes the file names in a directory durable. */
  public static void forceDirectory(@Nullable Path directory) throws IOException {
    DurableFiles.forceDirectory(Objects.requireNonNull(directory));
  }
}
