/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.testing;

import static java.util.stream.Collectors.joining;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The parsed classes of a main class that tests start often (class data sharing of the JDK), which
 * save a third of the CPU time of a start. The first start lists the classes that it loads, the
 * third creates the archive from that list, and the following ones use it. Per module and build,
 * since it is below {@code target}; shared by the test processes of a module.
 */
final class ClassArchive {

  private static final Path DIRECTORY = Path.of("target", "class-archives");

  /** Quiet if the archive does not fit: then the process starts without it. */
  private static final List<String> QUIET = List.of("-Xlog:cds=off", "-Xlog:aot=off");

  private final Path list;
  private final Path second;
  private final Path third;
  private final Path archive;

  private ClassArchive(Class<?> main) {
    Path base = DIRECTORY.resolve(main.getName());
    list = Path.of(base + ".list");
    second = Path.of(base + ".second");
    third = Path.of(base + ".third");
    archive = Path.of(base + ".jsa");
  }

  /** The class path in the order that an archive needs: it knows jars only, from the first on. */
  static String jarsFirst(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator))
        .sorted(Comparator.comparing(entry -> !isJar(entry)))
        .collect(joining(File.pathSeparator));
  }

  private static boolean isJar(String entry) {
    return entry.endsWith(".jar");
  }

  /** What this start of a main class must be given. */
  static List<String> options(Class<?> main, List<String> jvmOptions, String classPath) {
    try {
      Files.createDirectories(DIRECTORY);
      return new ClassArchive(main).options(jvmOptions, classPath);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> options(List<String> jvmOptions, String classPath) throws IOException {
    if (isFirst(list)) {
      return List.of("-XX:DumpLoadedClassList=" + list.toAbsolutePath());
    }
    if (!isFirst(second) && isFirst(third)) {
      create(jvmOptions, classPath);
    }
    if (!Files.exists(archive)) {
      return List.of();
    }
    return Stream.concat(
            Stream.of("-XX:SharedArchiveFile=" + archive.toAbsolutePath()), QUIET.stream())
        .toList();
  }

  private static boolean isFirst(Path mark) throws IOException {
    try {
      Files.createFile(mark);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  private void create(List<String> jvmOptions, String classPath) throws IOException {
    List<String> classes = Files.readAllLines(list);
    Path whole = Path.of(list + ".whole");
    // A process that was killed leaves half a line.
    Files.write(whole, classes.subList(0, Math.max(0, classes.size() - 1)));
    Path made = Path.of(archive + ".made");
    List<String> words = new ArrayList<>(jvmOptions);
    words.addAll(
        List.of(
            "-Xshare:dump",
            "-XX:SharedClassListFile=" + whole,
            "-XX:SharedArchiveFile=" + made,
            "-cp",
            Stream.of(classPath.split(File.pathSeparator))
                .filter(ClassArchive::isJar)
                .collect(joining(File.pathSeparator))));
    ChildProcess.run(ChildProcess.tool("java", words.toArray(String[]::new)));
    Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
  }
}
