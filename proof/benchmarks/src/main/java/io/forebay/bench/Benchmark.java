/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * A benchmark: its contenders take turns, and their figures are printed as one table, with a row
 * for each contender and a column for each figure, beside the targets.
 */
abstract class Benchmark {

  protected final Options options;

  /** Whether it is a trial, not a measurement. */
  protected final boolean brief;

  protected final Map<String, Rounds> figures = new LinkedHashMap<>();
  private final Map<String, Object> machine = new LinkedHashMap<>();

  protected Benchmark(Options options) {
    this.options = options;
    this.brief = options.has("short");
  }

  /**
   * Runs all contenders.
   *
   * @param out the folder in which a testbed is created
   */
  protected abstract void run(Path out) throws Exception;

  /** The targets, as {@link Target#of} reads them. */
  protected List<String> targets() {
    return List.of();
  }

  /** The figures that are printed with their least and greatest value. */
  protected Set<String> ranges() {
    return Set.of();
  }

  /** Runs, prints the table, and writes the figures to a file. */
  final void measure(String name, Path out) throws Exception {
    describe(out);
    run(out);
    List<Target> targets = targets().stream().map(Target::of).toList();
    Table verdicts = new Table();
    verdicts.row(List.of("", "value", "to reach", ""));
    targets.forEach(it -> verdicts.row(it.row(figures)));
    System.out.println("\n" + table() + "\n" + verdicts);
    Map<String, Object> json = new LinkedHashMap<>();
    List<Object> contenders = new ArrayList<>();
    figures.forEach((title, it) -> {
      Map<String, Object> contender = new LinkedHashMap<>(Map.of("name", title));
      contender.putAll(it.summary());
      contenders.add(contender);
    });
    json.put("contenders", contenders);
    json.put("targets", targets.stream().map(it -> it.json(figures)).toList());
    json.put("machine", machine);
    json.put("options", options.settings());
    Path file = out.resolve(name + ".json");
    Files.writeString(
        file, JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(json));
    System.out.println("written: " + file);
  }

  /** What matters for the figures, without anything that identifies the machine. */
  private void describe(Path out) throws IOException {
    OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
    machine.put("measured", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
    machine.put("cores", system.getAvailableProcessors());
    machine.put("loadBefore", Rounds.rounded(system.getSystemLoadAverage()));
    machine.put("fileSystem", Files.getFileStore(out).type());
    machine.put("os", system.getName() + " " + system.getArch() + " " + system.getVersion());
    machine.put("jdk", System.getProperty("java.vendor") + " " + Runtime.version());
  }

  /** Starts a PostgreSQL, whose settings are written to the file of figures too. */
  protected final Testbed testbed(Path out, Map<String, String> settings) throws Exception {
    Testbed testbed = new Testbed(out, true, settings);
    machine.put("postgresql", testbed.postgres().settings());
    return testbed;
  }

  private Table table() {
    Set<String> columns = new LinkedHashSet<>();
    figures.values().forEach(it -> columns.addAll(it.names()));
    Table table = new Table();
    table.row(Stream.concat(Stream.of("median [min–max]"), columns.stream()).toList());
    figures.forEach((title, it) ->
        table.row(
            Stream.concat(
                    Stream.of(title),
                    columns.stream().map(name -> it.text(name, ranges().contains(name))))
                .toList()));
    return table;
  }

  /** The number of rounds. */
  protected final int rounds(int usual) {
    return Math.toIntExact(options.count("rounds").orElse(brief ? 1L : usual));
  }

  /** What a contender is called on the command line and in the table. */
  static String title(Enum<?> contender) {
    return contender.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The contenders that run.
   *
   * @throws UsageError if there is no contender with a given name
   */
  protected final <C extends Enum<C>> List<C> only(C[] all) {
    return options
        .text("only")
        .map(names -> Stream.of(names.split(",")).map(name -> named(name, all)).toList())
        .orElse(List.of(all));
  }

  static <C extends Enum<C>> C named(String name, C[] all) {
    return Stream.of(all)
        .filter(it -> title(it).equals(name))
        .findFirst()
        .orElseThrow(() ->
            new UsageError(
                "contender '%s' does not exist (known: %s)"
                    .formatted(name, Stream.of(all).map(Benchmark::title).toList())));
  }

  /** One turn of a contender. */
  @FunctionalInterface
  protected interface Turn<C> {
    /** Returns its figures. */
    Rounds take(C contender) throws Exception;
  }

  /** Gives each contender one turn in each round. The order rotates by one each round. */
  protected final <C extends Enum<C>> void rotate(int rounds, List<C> contenders, Turn<C> turn)
      throws Exception {
    contenders.forEach(it -> of(title(it)));
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < contenders.size(); i++) {
        C contender = contenders.get((round + i) % contenders.size());
        System.out.printf("%d/%d %s%n", round + 1, rounds, title(contender));
        Rounds of = turn.take(contender);
        System.out.println("    " + of);
        of(title(contender)).addAll(of);
      }
    }
  }

  /** The figures of a contender. */
  protected final Rounds of(String title) {
    return figures.computeIfAbsent(title, _ -> new Rounds());
  }
}
