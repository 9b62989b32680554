/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A caller that sends at a low rate, while another one has a backlog: alone, in the same queue and
 * in a lane of its own. Then two lanes with a backlog each, and weights 1 and 3.
 */
final class LanesBenchmark extends Benchmark {

  private final long backlog;
  private final double seconds;

  LanesBenchmark(Options options) {
    super(options);
    backlog = options.count("statements").orElse(brief ? 200_000L : 1_000_000L);
    seconds = brief ? 3 : 20;
  }

  @Override
  protected void run(Path out) throws Exception {
    try (Testbed testbed = testbed(out, Map.of());
        LanesBed bed =
            LanesBed.open(testbed.newFolder("queues"), testbed.postgres().create("lanes"))) {
      round(bed, backlog / 5, seconds / 5);
      figures.clear(); // that was the warm-up
      int rounds = rounds(5);
      for (int i = 0; i < rounds; i++) {
        round(bed, backlog, seconds);
      }
    }
  }

  private void round(LanesBed bed, long backlog, double seconds) throws Exception {
    bed.alone(seconds, of("alone"));
    bed.beside(backlog, false, of("same-queue"));
    bed.beside(backlog, true, of("own-lane"));
    bed.twoBacklogs(backlog, of("two-backlogs"));
  }

  @Override
  protected Set<String> ranges() {
    return Set.of(LanesBed.TOTAL, LanesBed.RATIO);
  }

  @Override
  protected List<String> targets() {
    return List.of(
        "p99 ms of own-lane : alone <= 2", "performed/s of own-lane : same-queue >= 0.95");
  }
}
