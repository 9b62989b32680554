/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs benchmarks, each in its own process, and writes one page with the results of all that were
 * ever measured in the folder.
 */
final class Report {

  private static final int LAST_LINES = 12;

  private final Path folder;
  private final boolean isShort;
  private final Map<String, String> failures = new LinkedHashMap<>();

  private Report(Path folder, boolean isShort) {
    this.folder = folder;
    this.isShort = isShort;
  }

  /** Returns whether all benchmarks succeeded. */
  static boolean main(List<String> arguments) throws IOException, InterruptedException {
    Options options = new Options(arguments, Set.of("short", "render"), Set.of("out", "only"));
    Path out = Path.of(options.required("out"));
    if (options.has("render") && (options.has("only") || options.has("short"))) {
      throw new UsageError(
          "option --render runs nothing, so --only and --short cannot be used with it");
    }
    List<ReportEntry> entries =
        options
            .text("only")
            .map(it -> Arrays.stream(it.split(",")).map(ReportEntry::named).toList())
            .orElse(options.has("render") ? List.of() : ReportEntry.ALL);
    return run(Files.createDirectories(out).toAbsolutePath(), entries, options.has("short"));
  }

  /** Runs these benchmarks and writes the page; returns whether all of them succeeded. */
  static boolean run(Path folder, List<ReportEntry> entries, boolean isShort)
      throws IOException, InterruptedException {
    Report report = new Report(folder, isShort);
    int left = entries.stream().mapToInt(it -> it.minutes(isShort)).sum();
    for (int i = 0; i < entries.size(); i++) {
      ReportEntry entry = entries.get(i);
      System.out.printf(
          "%d/%d %s: about %d min, of about %d min left%n",
          i + 1, entries.size(), entry.name(), entry.minutes(isShort), left);
      if (entry.isPermitted()) {
        report.run(entry);
      } else {
        System.out.println("  skipped: it needs root");
      }
      left -= entry.minutes(isShort);
    }
    Path page = folder.resolve("report.html");
    List<String> names = ReportEntry.ALL.stream().map(ReportEntry::name).toList();
    Files.writeString(
        page, new ReportPage(folder, Results.read(folder, names), report.failures).html());
    System.out.println("written: " + page);
    report.failures.forEach(
        (name, lines) -> System.err.printf("failed: %s, see %s.log%n", name, name));
    return report.failures.isEmpty();
  }

  /** Runs a benchmark; a failure is kept with the last lines of its output. */
  private void run(ReportEntry entry) throws IOException, InterruptedException {
    Files.deleteIfExists(ResultFiles.json(folder, entry.name()));
    Files.deleteIfExists(ResultFiles.chart(folder, entry.name()));
    List<String> command = Testbed.java();
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(entry.arguments(isShort));
    command.addAll(List.of("--out", folder.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Thread atExit = new Thread(process::destroy);
    Runtime.getRuntime().addShutdownHook(atExit);
    Deque<String> last = new ArrayDeque<>();
    try (BufferedReader output = process.inputReader();
        PrintWriter log =
            new PrintWriter(Files.newBufferedWriter(folder.resolve(entry.name() + ".log")), true)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        System.out.println("  " + line);
        log.println(line);
        last.add(line);
        if (last.size() > LAST_LINES) {
          last.remove();
        }
      }
    }
    int status = process.waitFor();
    Runtime.getRuntime().removeShutdownHook(atExit);
    if (status != 0) {
      List<String> text = new ArrayList<>(last);
      text.add("ended with status " + status);
      failures.put(entry.name(), String.join("\n", text));
    }
  }
}
