/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Bursts of statements, written as fast as possible and performed by a database.
 *
 * <p>Each contender runs in its own JVM, forked from this one: otherwise JIT profiles and garbage
 * of one contender would affect the next. Each round runs all contenders in turn, so that a machine
 * that slows down or speeds up does so for all of them.
 */
final class BurstBenchmark extends Benchmark {

  private static final int SLOW_DIVISOR = 20;

  private final List<BurstContender> contenders;
  private final double failPercent;
  private final long statements;

  BurstBenchmark(Options options) {
    super(options);
    contenders = only(BurstContender.values());
    failPercent = options.percent("fail").orElse(0.0);
    statements = options.count("statements").orElse(brief ? 100_000L : 200_000L);
  }

  @Override
  protected void run(Path out) throws Exception {
    int turns = brief ? 1 : 2;
    boolean postgresql = contenders.stream().anyMatch(BurstContender::needsPostgresql);
    try (Testbed testbed = postgresql ? testbed(out, Map.of()) : new Testbed(out)) {
      for (int turn = 1; turn <= turns; turn++) {
        for (BurstContender contender : contenders) {
          System.out.printf("%d/%d %s%n", turn, turns, title(contender));
          take(contender, title(contender), testbed, List.of());
          if (failPercent > 0 && contender.takesFailures()) {
            take(
                contender,
                title(contender) + "-fail",
                testbed,
                List.of("--fail", Double.toString(failPercent)));
          }
        }
      }
    }
  }

  private void take(BurstContender contender, String title, Testbed testbed, List<String> more)
      throws Exception {
    long count = contender.isSlow() ? Math.max(1, statements / SLOW_DIVISOR) : statements;
    List<String> command = new ArrayList<>(List.of(Trial.COMMAND));
    command.addAll(List.of("--contender", title(contender), "--statements", "" + count));
    command.addAll(List.of("--warmups", brief ? "4" : "2", "--rounds", brief ? "3" : "5"));
    command.addAll(more);
    testbed
        .trial(List.of("-Xms1g", "-Xmx1g"), contender.needsPostgresql(), command)
        .forEach(of(title)::addAll);
  }

  @Override
  protected Set<String> ranges() {
    return Set.of(Trial.WRITE, Trial.WRITE_WHILE_PERFORMING, Trial.PERFORM, Trial.PERFORM_CPU);
  }

  @Override
  protected List<String> targets() {
    List<String> targets = new ArrayList<>();
    targets.add("write µs of forebay-hsqldb : seed-design-hsqldb <= 0.7");
    targets.add("write µs of forebay-hsqldb : bare-append-same-bytes <= 1.3");
    targets.add("allocated of forebay-hsqldb <= 0.5");
    targets.add("allocated of forebay-postgresql <= 0.5");
    targets.add("perform µs of forebay-hsqldb : bare-loop-hsqldb <= 1.4");
    targets.add("its thread's CPU µs of forebay-hsqldb : bare-loop-hsqldb <= 1");
    targets.add("perform µs of forebay-postgresql : bare-loop-postgresql <= 0.35");
    targets.add("its thread's CPU µs of forebay-postgresql : bare-loop-postgresql <= 1");
    targets.add("perform µs of seed-design-hsqldb-durable : forebay-hsqldb >= 80");
    targets.add("perform µs of seed-design-postgresql : forebay-postgresql >= 25");
    if (failPercent > 0) {
      targets.add("perform µs of forebay-hsqldb-fail : forebay-hsqldb");
      String limit = failPercent == 0.1 ? " <= 4" : failPercent == 1 ? " <= 12" : "";
      targets.add("perform µs of forebay-postgresql-fail : forebay-postgresql" + limit);
    }
    return targets;
  }
}
