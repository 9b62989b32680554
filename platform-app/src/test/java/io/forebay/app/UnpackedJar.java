/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.testing.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * The jar with its libraries beside it instead of inside, and its AOT cache, as in the image. A
 * start takes half of the processor time, and tests start many processes.
 */
final class UnpackedJar {

  private static final String CACHE = "forebay.aot";

  /** Of the jar, which does not change while a JVM runs tests. */
  private static @Nullable String checksum;

  private UnpackedJar() {}

  /**
   * Unpacks a jar, and creates its AOT cache, once for the tests of all modules.
   *
   * @return the arguments of java that run it
   */
  static synchronized List<String> of(Path jar) throws IOException {
    Path unpacked = jar.resolveSibling("unpacked-" + checksum(jar)).toAbsolutePath();
    Path cache = unpacked.resolve(CACHE);
    Path unpackedJar = unpacked.resolve(jar.getFileName());
    try (FileChannel file =
            FileChannel.open(
                jar.resolveSibling("unpacked.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock _ = file.lock()) {
      if (!Files.exists(cache)) {
        FileSystemUtils.deleteRecursively(unpacked); // another build was killed
        ChildProcess.run(
            ChildProcess.tool(
                "java",
                "-Djarmode=tools",
                "-jar",
                jar.toString(),
                "extract",
                "--destination",
                unpacked.toString()));
        train(unpackedJar, cache);
      }
    }
    return List.of("-XX:AOTCache=" + cache, "-jar", unpackedJar.toString());
  }

  /** The recipe of {@code docs/operations.md}. */
  private static void train(Path jar, Path cache) throws IOException {
    Path data = Files.createTempDirectory("forebay-training-");
    ProcessBuilder java = ChildProcess.tool("java", ForebayProcess.QUICK_START);
    java.command()
        .addAll(
            List.of(
                "-XX:AOTCacheOutput=" + cache,
                "-Xlog:aot=error",
                "-Dforebay.data=" + data,
                "-jar",
                jar.toString(),
                "--server.port=0"));
    try (ChildProcess training = ChildProcess.start(java)) {
      training.until(() -> training.output().contains("Started Forebay"));
      training.stop();
    }
    FileSystemUtils.deleteRecursively(data);
  }

  /**
   * Like {@link #of(Path)}, for another main class, with the packages of the JDK that this test may
   * use.
   *
   * @param classes where it is; behind the jar, so that the AOT cache fits
   */
  static List<String> of(Path jar, String classes, Class<?> main) throws IOException {
    List<String> unpacked = of(jar);
    List<String> arguments = new ArrayList<>();
    arguments.add(unpacked.getFirst()); // the AOT cache
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(it -> it.startsWith("--add-"))
        .forEach(arguments::add);
    arguments.addAll(
        List.of("-cp", unpacked.getLast() + File.pathSeparator + classes, main.getName()));
    return arguments;
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
}
