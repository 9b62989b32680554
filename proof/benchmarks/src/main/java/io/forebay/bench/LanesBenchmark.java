/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A caller that sends at a low rate, while another one has a backlog: alone, in the same queue and
 * in a lane of its own. Then two lanes with a backlog each, and weights 1 and 3.
 */
final class LanesBenchmark {

  static final FigureTable TABLE =
      FigureTable.of("caller")
          .one("p50 ms", LanesBed.P50, "%,.2f")
          .one("p99 ms", LanesBed.P99, "%,.2f")
          .one("max ms", LanesBed.MAX, "%,.1f")
          .range("performed/s", LanesBed.TOTAL, "%,.0f")
          .range("share, heavy : light", LanesBed.RATIO, "%.2f");

  static final String ALONE = "alone";
  static final String SAME = "same-queue";
  static final String OWN = "own-lane";
  static final String WEIGHTS = "two-backlogs";

  private final long backlog;
  private final int roundCount;
  private final double seconds;
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();

  private LanesBenchmark(Options options) {
    boolean brief = options.has("short");
    backlog = options.count("statements").orElse(brief ? 200_000L : 1_000_000L);
    roundCount = Math.toIntExact(options.count("rounds").orElse(brief ? 1L : 5L));
    seconds = brief ? 3 : 20;
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(arguments, Set.of("short"), Set.of("out", "statements", "rounds"));
    Path out = Files.createDirectories(Path.of(options.required("out"))).toAbsolutePath();
    new LanesBenchmark(options).run(out);
  }

  private void run(Path out) throws Exception {
    Map<String, Object> machine = Machine.describe(out);
    try (Testbed testbed = new Testbed(out, true)) {
      Postgres postgres = testbed.postgres();
      machine.put("postgresql", postgres.settings());
      try (LanesBed bed = LanesBed.open(testbed.newFolder("queues"), postgres.create("lanes"))) {
        round(bed, new LinkedHashMap<>(), backlog / 5, seconds / 5); // a warm-up
        for (int i = 0; i < roundCount; i++) {
          round(bed, rounds, backlog, seconds);
        }
      }
    }
    System.out.println(TABLE.text(rounds));
    System.out.println(Target.table(targets(), rounds));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", Rounds.json(rounds));
    json.put("targets", targets().stream().map(it -> it.json(rounds)).toList());
    json.put("machine", machine);
    json.put("backlog", backlog);
    ResultFiles.write(
        out,
        "lanes",
        json,
        "A caller beside a backlog",
        List.of(BarPanel.medians("ms from acceptance to result, 99 %", rounds, LanesBed.P99, OWN)));
  }

  private static void round(LanesBed bed, Map<String, Rounds> rounds, long backlog, double seconds)
      throws Exception {
    bed.alone(seconds, rounds.computeIfAbsent(ALONE, _ -> new Rounds()));
    bed.beside(backlog, false, rounds.computeIfAbsent(SAME, _ -> new Rounds()));
    bed.beside(backlog, true, rounds.computeIfAbsent(OWN, _ -> new Rounds()));
    bed.twoBacklogs(backlog, rounds.computeIfAbsent(WEIGHTS, _ -> new Rounds()));
  }

  private static List<Target> targets() {
    return List.of(
        new Target(
            "99 % in a lane of its own : alone",
            Target.ratio(LanesBed.P99, OWN, ALONE), Target.Sense.AT_MOST, 2),
        new Target(
            "performed per second with a lane : in the same queue",
            Target.ratio(LanesBed.TOTAL, OWN, SAME),
            Target.Sense.AT_LEAST,
            0.95));
  }
}
