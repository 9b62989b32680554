/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The jar with its libraries beside it instead of inside, as in the image. A start from it takes a
 * third less processor time, and tests start many processes.
 */
final class UnpackedJar {

  private UnpackedJar() {}

  /** Unpacks a jar once for the tests of all modules. */
  static synchronized Path of(Path jar) throws IOException {
    Path unpacked = jar.resolveSibling("unpacked-" + Files.getLastModifiedTime(jar).toMillis());
    Path program = unpacked.resolve(jar.getFileName());
    try (FileChannel file =
            FileChannel.open(
                jar.resolveSibling("unpacked.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock _ = file.lock()) {
      if (!Files.exists(unpacked)) {
        Path part = Files.createTempDirectory(jar.getParent(), "unpacked-");
        unpack(jar, part);
        Files.move(part, unpacked);
      }
    }
    return program;
  }

  private static void unpack(Path jar, Path target) {
    ChildProcess.run(
        ChildProcess.tool(
            "java",
            "-Djarmode=tools",
            "-jar",
            jar.toString(),
            "extract",
            "--force",
            "--destination",
            target.toString()));
  }
}
