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
 * The parsed classes of the programs that the tests of a module start often (class data sharing of
 * the JDK), which save a third of the CPU time of a start. The first start of a program lists the
 * classes that it loads, its fourth creates the archive from that list, and all programs use it
 * from then on. To create it takes longer than a start, so small programs create none. Per build,
 * since it is below {@code target}; shared by the test processes of a module.
 */
final class ClassArchive {

  private static final Path DIRECTORY = Path.of("target", "class-archives");
  private static final int CREATED_BY = 4;

  /** With fewer classes a start is short anyway. */
  private static final int FEWEST_CLASSES = 7_000;

  /** Quiet if the archive does not fit: then the process starts without it. */
  private static final List<String> QUIET = List.of("-Xlog:cds=off", "-Xlog:aot=off");

  private static final Path ARCHIVE = DIRECTORY.resolve("classes.jsa").toAbsolutePath();

  private final String base;
  private final Path list;

  private ClassArchive(Class<?> main) {
    base = DIRECTORY.resolve(main.getName()).toAbsolutePath().toString();
    list = Path.of(base + ".list");
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

  /** More options for this start of a main class. */
  static List<String> options(Class<?> main, List<String> jvmOptions, String classPath) {
    try {
      Files.createDirectories(DIRECTORY);
      return new ClassArchive(main).options(jvmOptions, classPath);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> options(List<String> jvmOptions, String classPath) throws IOException {
    if (Files.exists(ARCHIVE)) {
      return Stream.concat(Stream.of("-XX:SharedArchiveFile=" + ARCHIVE), QUIET.stream()).toList();
    }
    int start = start();
    if (start == CREATED_BY) {
      create(jvmOptions, classPath);
    }
    return start == 1 ? List.of("-XX:DumpLoadedClassList=" + list) : List.of();
  }

  /** Which start this is, among all test processes. */
  private int start() throws IOException {
    for (int number = 1; number <= CREATED_BY; number++) {
      if (isFirst(Path.of(base + "." + number))) {
        return number;
      }
    }
    return Integer.MAX_VALUE;
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
    if (classes.size() < FEWEST_CLASSES || !isFirst(DIRECTORY.resolve("creating"))) {
      return;
    }
    Path whole = Path.of(base + ".whole");
    Files.write(whole, classes.subList(0, classes.size() - 1)); // a kill may leave half a line
    Path made = Path.of(base + ".made");
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
    Files.move(made, ARCHIVE, StandardCopyOption.ATOMIC_MOVE);
  }
}
