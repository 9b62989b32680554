/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.testing.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The jar with its libraries beside it instead of inside, and its AOT cache, as in the image. A
 * start takes half of the processor time, and tests start many processes.
 */
final class UnpackedJar {

  /** The file beside the jar with what the training run printed. */
  static final String TRAINING = "train.log";

  /** Of the jar, which does not change while a JVM runs tests. */
  private static @Nullable String checksum;

  private UnpackedJar() {}

  /**
   * Unpacks a jar, and creates its AOT cache, once for the tests of all modules.
   *
   * @return the arguments of java that run it
   */
  static List<String> of(Path jar) throws IOException {
    Path program = unpacked(jar);
    return List.of("-XX:AOTCache=" + cache(program), "-jar", program.toString());
  }

  /**
   * Like {@link #of(Path)}, for another main class.
   *
   * @param classes where it is; behind the jar, so that the AOT cache fits
   */
  static List<String> of(Path jar, String classes, Class<?> main) throws IOException {
    Path program = unpacked(jar);
    return List.of(
        "-XX:AOTCache=" + cache(program),
        "-cp",
        program + File.pathSeparator + classes,
        main.getName());
  }

  private static Path cache(Path program) {
    return program.resolveSibling("forebay.aot");
  }

  private static synchronized Path unpacked(Path jar) throws IOException {
    Path unpacked = jar.resolveSibling("unpacked-" + checksum(jar));
    Path program = unpacked.resolve(jar.getFileName());
    try (FileChannel file =
            FileChannel.open(
                jar.resolveSibling("unpacked.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock _ = file.lock()) {
      if (!Files.exists(cache(program))) {
        unpack(jar, unpacked);
        Path part = unpacked.resolve("part.aot");
        train(program, part);
        Files.move(part, cache(program));
      }
    }
    return program;
  }

  /** Maven gives each jar the same time, so the time does not show whether it is another one. */
  private static String checksum(Path jar) throws IOException {
    if (checksum == null) {
      CRC32 crc = new CRC32();
      try (FileChannel bytes = FileChannel.open(jar)) {
        crc.update(bytes.map(MapMode.READ_ONLY, 0, bytes.size()));
      }
      checksum = Long.toHexString(crc.getValue());
    }
    return checksum;
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

  private static void train(Path jar, Path cache) {
    ProcessBuilder java = ChildProcess.tool("java", ForebayProcess.QUICK_START);
    java.command()
        .addAll(
            List.of(
                "-XX:AOTCacheOutput=" + cache, "-Xlog:aot=error", "-jar", jar.toString(), "train"));
    try (ChildProcess train = ChildProcess.start(java, jar.resolveSibling(TRAINING))) {
      train.awaitEnd(0);
    }
  }
}
