/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.jdbc.Results;
import io.forebay.queue.Level;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * The start arguments of a service process.
 *
 * @param queues where they are, in the form of {@link Queues}
 * @param database the URL of a PostgreSQL database, or the directory of an embedded one
 * @param journal where it records what it sends
 * @param before journals of the earlier processes; it sends some of their keyed statements again
 * @param seed the seed of the run
 * @param process its number in the run
 */
record ServiceArguments(
    String queues,
    String database,
    Settings settings,
    Path journal,
    List<Path> before,
    long seed,
    int process) {

  static final String SERVICE = "orders";
  static final int PARTITIONS = 3;

  /**
   * Settings that may differ from process to process.
   *
   * @param level the level at which the queues acknowledge
   * @param maxBatch the maximum number of statements in one transaction
   * @param maxBacklog the maximum number of waiting statements; above it the load pauses
   * @param results which results the gateway keeps
   */
  record Settings(Level level, int maxBatch, long maxBacklog, Results results) {

    static final Settings PLAIN = new Settings(Level.PROCESS, 100, 1_000, Results.ALL);

    static Settings random(RandomGenerator random) {
      return new Settings(
          random.nextInt(4) == 0 ? Level.DISK : Level.PROCESS,
          List.of(10, 100, 1_000).get(random.nextInt(3)),
          2_000,
          random.nextBoolean() ? Results.RUNS : Results.ALL);
    }

    Settings withMaxBacklog(long statements) {
      return new Settings(level, maxBatch, statements, results);
    }
  }

  /** As arguments of a main method. */
  List<String> words() {
    return List.of(
        "queues=" + queues,
        "database=" + database,
        "level=" + settings.level,
        "maxBatch=" + settings.maxBatch,
        "maxBacklog=" + settings.maxBacklog,
        "results=" + settings.results,
        "journal=" + journal,
        "before=" + before.stream().map(Path::toString).collect(Collectors.joining("|")),
        "seed=" + seed,
        "process=" + process);
  }

  static ServiceArguments of(String[] words) {
    Map<String, String> values =
        Arrays.stream(words)
            .map(word -> word.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    return new ServiceArguments(
        values.get("queues"),
        values.get("database"),
        new Settings(
            Level.valueOf(values.get("level")),
            Integer.parseInt(values.get("maxBatch")),
            Long.parseLong(values.get("maxBacklog")),
            Results.valueOf(values.get("results"))),
        Path.of(values.get("journal")),
        Arrays.stream(values.get("before").split("\\|"))
            .filter(file -> !file.isEmpty())
            .map(Path::of)
            .toList(),
        Long.parseLong(values.get("seed")),
        Integer.parseInt(values.get("process")));
  }
}
