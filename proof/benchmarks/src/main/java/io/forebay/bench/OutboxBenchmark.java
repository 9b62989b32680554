/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Messages are written in transactions of a PostgreSQL, and when all are there, they are handed
 * over. Each contender is an application of its own with a small heap. Slow ones get fewer
 * messages.
 */
final class OutboxBenchmark extends Benchmark {

  private static final List<String> JVM = List.of("-Xms256m", "-Xmx256m");

  private final long rows;
  private final long rivalRows;
  private final List<OutboxContender> contenders;

  OutboxBenchmark(Options options) {
    super(options);
    rows = options.count("rows").orElse(brief ? 20_000L : 1_000_000L);
    rivalRows = options.count("rival-rows").orElse(brief ? 1_000L : 20_000L);
    contenders = only(OutboxContender.values());
  }

  @Override
  protected void run(Path out) throws Exception {
    try (Testbed testbed = testbed(out, Map.of())) {
      rotate(rounds(3), contenders, it -> measure(it, testbed));
    }
  }

  private Rounds measure(OutboxContender contender, Testbed testbed) throws Exception {
    long count = contender == OutboxContender.FOREBAY ? rows : rivalRows;
    List<String> command =
        List.of(
            OutboxTrial.COMMAND, "--contender", title(contender), "--rows", Long.toString(count));
    Rounds figures = new Rounds();
    testbed.trial(JVM, true, command).forEach(figures::addAll);
    return figures;
  }

  @Override
  protected List<String> targets() {
    return List.of(
        OutboxTrial.HANDED_OVER + "/s of forebay >= 50000",
        OutboxTrial.HANDED_OVER + "/s of forebay : modulith >= 20",
        OutboxTrial.HANDED_OVER + "/s of forebay : namastack >= 5",
        OutboxTrial.WRITTEN + "/s of forebay : modulith",
        OutboxTrial.WRITTEN + "/s of forebay : namastack");
  }
}
