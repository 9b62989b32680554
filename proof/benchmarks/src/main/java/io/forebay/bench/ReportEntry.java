/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A benchmark that the report runs.
 *
 * @param what what it measures, in a few words
 * @param command its arguments, without the folder
 * @param brief further arguments of its short form
 * @param minutes how long it takes about, on two cores
 * @param briefMinutes how long its short form takes about
 * @param table the columns of its figures; null: all of them
 */
record ReportEntry(
    String name,
    String what,
    List<String> command,
    List<String> brief,
    int minutes,
    int briefMinutes,
    @Nullable FigureTable table) {

  static final List<ReportEntry> ALL =
      List.of(
          entry("burst", "statements written and performed", 12, 3, BurstBenchmark.TABLE)
              .with("--mix", "--fail", "1"),
          entry("backlog", "a backlog larger than memory", 20, 2, BacklogBenchmark.TABLE),
          entry("tail", "the latency of messages up to the worst", 35, 1, TailBenchmark.TABLE),
          new ReportEntry(
              "tail-stall",
              "the same while the disk stalls; needs root",
              List.of("tail", "--stall", "500", "--writer-only"),
              List.of("--short", "--seconds", "4"),
              30,
              1,
              TailBenchmark.TABLE),
          entry("letters", "batch jobs that call services", 75, 3, LettersBenchmark.TABLE),
          entry("ingest", "orders over HTTP", 10, 3, IngestReport.TABLE),
          entry("lanes", "callers that share a database", 15, 2, LanesBenchmark.TABLE),
          entry("pinned", "a transaction that stays open", 70, 1, PinnedBenchmark.TABLE),
          entry("pipeline", "services behind each other", 14, 1, PipelineBenchmark.TABLE),
          entry("sink", "rows from Kafka to PostgreSQL", 8, 3, SinkBenchmark.TABLE),
          entry("calls", "a call in chunks", 3, 1, CallsBenchmark.TABLE),
          entry("jmh", "the operations on a message, each alone", 7, 1, JmhBenchmark.TABLE));

  private static ReportEntry entry(
      String name, String what, int minutes, int briefMinutes, @Nullable FigureTable table) {
    return new ReportEntry(
        name, what, List.of(name), List.of("--short"), minutes, briefMinutes, table);
  }

  private ReportEntry with(String... more) {
    List<String> all = new ArrayList<>(command);
    all.addAll(Arrays.asList(more));
    return new ReportEntry(name, what, all, brief, minutes, briefMinutes, table);
  }

  /**
   * @throws UsageError if there is no benchmark with this name
   */
  static ReportEntry named(String name) {
    return ALL.stream()
        .filter(it -> it.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new UsageError(
                "benchmark '%s' does not exist (known: %s)"
                    .formatted(name, ALL.stream().map(ReportEntry::name).toList())));
  }

  /** Whether this user may run it. */
  boolean isPermitted() {
    return !command.contains("--stall") || "root".equals(System.getProperty("user.name"));
  }

  int minutes(boolean isShort) {
    return isShort ? briefMinutes : minutes;
  }

  /** The command line of a run. */
  List<String> arguments(boolean isShort) {
    List<String> arguments = new ArrayList<>(command);
    if (isShort) {
      arguments.addAll(brief);
    }
    return arguments;
  }
}
