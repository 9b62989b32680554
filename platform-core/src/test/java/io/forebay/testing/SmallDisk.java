/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.awaitility.Awaitility;

/** A disk that can really be full: a tmpfs. */
public final class SmallDisk implements AutoCloseable {

  private final Path directory;

  private SmallDisk(Path directory) {
    this.directory = directory;
  }

  /**
   * Mounts it; the test is skipped if that is not possible. If the environment variable {@code CI}
   * is set, as in {@code .ci/run}, it fails instead.
   */
  public static SmallDisk mount(Path directory, long bytes) throws IOException {
    Files.createDirectory(directory);
    boolean isMounted =
        run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "forebay-test", directory.toString());
    String need = "a tmpfs can only be mounted by root on Linux";
    if (!isMounted && System.getenv("CI") != null) {
      throw new IllegalStateException(need);
    }
    assumeTrue(isMounted, need);
    return new SmallDisk(directory);
  }

  public Path directory() {
    return directory;
  }

  /** Files may still be open for a moment: Chronicle releases them in its own thread. */
  @Override
  public void close() {
    Awaitility.await().until(() -> run("umount", directory.toString()));
  }

  private static boolean run(String... command) {
    return ChildProcess.tryRun(command).isPresent();
  }
}
