/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file that says how far a run of histories is, so that the next one continues there. Each
 * process of the run adds lines; a line is written whole.
 */
final class Progress {

  private static final Pattern UP_TO = Pattern.compile("up to seed (\\d+):.*");
  private static final Pattern FAILED = Pattern.compile("seed (\\d+): \\[.*");

  private final Path file;

  Progress(Path file) {
    this.file = file;
  }

  static String upTo(long seed, double perSecond, long bad) {
    return String.format(
        Locale.ROOT, "up to seed %d: %.1f per second, %d with violations", seed, perSecond, bad);
  }

  static String failed(long seed, List<String> violations) {
    return "seed %d: %s".formatted(seed, violations).replaceAll("\\s+", " ");
  }

  /**
   * Continues a run; begins a new one if the file is missing or of another run, or if the name of
   * the run does not say which code it ran.
   */
  void begin(String run) throws IOException {
    boolean known = !run.endsWith(Commit.CHANGED) && !run.endsWith(Commit.UNKNOWN);
    if (!known || !lines().stream().findFirst().orElse("").equals(run)) {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.deleteIfExists(file);
      add(run);
    }
  }

  void add(String line) throws IOException {
    Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** The first seed of a range that was not run. */
  long next(long from, long count) throws IOException {
    return lines().stream()
        .map(UP_TO::matcher)
        .filter(Matcher::matches)
        .mapToLong(it -> Long.parseLong(it.group(1)) + 1)
        .filter(it -> it > from && it <= from + count)
        .max()
        .orElse(from);
  }

  /** The lines of the histories with violations, those of earlier parts of the run, too. */
  List<String> failed() throws IOException {
    return lines().stream().filter(it -> FAILED.matcher(it).matches()).toList();
  }

  /** The seed of a line of {@link #failed()}. */
  static long seed(String line) {
    Matcher matcher = FAILED.matcher(line);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(line);
    }
    return Long.parseLong(matcher.group(1));
  }

  private List<String> lines() throws IOException {
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }
}
