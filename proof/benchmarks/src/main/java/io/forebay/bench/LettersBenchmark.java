/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * One letter per contract, with the customer and the address from a database or from services that
 * are called in different ways: table 1 of Knoche, "Improving Batch Performance when Migrating to
 * Microservices with Chunking and Coroutines", on PostgreSQL and Spring Batch. Before each run the
 * services and the database are restarted and then warmed up in the same way; the short form
 * restarts them only between rounds.
 */
final class LettersBenchmark extends Benchmark {

  private static final String SECONDS = "seconds";

  /** Java's compilers need this many warm-ups of one contender until all of them are fast. */
  private static final int FIRST_WARM_UPS = 6;

  private final long contracts;
  private final double warmUpSeconds;
  private final List<LettersContender> contenders;
  private final Path jar;
  private int turns;

  LettersBenchmark(Options options) {
    super(options);
    contracts = options.count("contracts").orElse(brief ? 30_000L : 100_000L);
    warmUpSeconds = options.amount("warmup").orElse(10.0);
    contenders = only(LettersContender.values());
    jar = Product.jar(options);
  }

  @Override
  protected void run(Path out) throws Exception {
    try (Testbed testbed = testbed(out, Map.of());
        LettersBed bed = new LettersBed(testbed, jar, contracts)) {
      warmUp(bed, LettersContender.CHUNKED_REST_100, FIRST_WARM_UPS * warmUpSeconds);
      rotate(rounds(10), contenders, contender -> take(bed, contender));
    }
  }

  private Rounds take(LettersBed bed, LettersContender contender) throws Exception {
    int turn = turns++;
    if (turn > 0 && (!brief || turn % contenders.size() == 0)) {
      long start = System.nanoTime();
      bed.restart();
      System.out.printf(
          Locale.ROOT,
          "restarted the services and the database in %.1f s%n",
          (System.nanoTime() - start) / 1e9);
    }
    warmUp(bed, contender, warmUpSeconds);
    System.gc();
    long cpuBefore = Load.cpuNanos();
    double seconds = bed.write(contender, contracts);
    return new Rounds()
        .add(SECONDS, seconds)
        .add("CPU µs per letter", (Load.cpuNanos() - cpuBefore) / 1e3 / contracts);
  }

  /** Writes a tenth of the letters in the same way, at least once and until the time is up. */
  private void warmUp(LettersBed bed, LettersContender contender, double seconds) throws Exception {
    long start = System.nanoTime();
    do {
      bed.write(contender, Math.max(1, contracts / 10));
    } while (System.nanoTime() - start < seconds * 1e9);
  }

  @Override
  protected Set<String> ranges() {
    return Set.of(SECONDS);
  }

  @Override
  protected List<String> targets() {
    return List.of(
        "by round: seconds of individual-rest : chunked-rest-100 >= 110",
        "by round: seconds of direct-sql : chunked-rest-100",
        "by round: seconds of list-call-writer : chunked-rest-100",
        "by round: seconds of async-item-processor : chunked-rest-100",
        "by round: seconds of remote-chunking : chunked-rest-100",
        "by round: seconds of chunked-rest-100 : list-call-writer-100 <= 0.9",
        "by round: seconds of chunked-rest-100 : remote-chunking-100 <= 0.9",
        "by round: seconds of chunked-queue-100 : list-call-writer-100 <= 0.9",
        "by round: seconds of chunked-queue-100 : remote-chunking-100 <= 0.9",
        "by round: seconds of chunked-rest-100 : bare-loop-100 <= 1.4",
        "by round: seconds of chunked-queue-100 : chunked-rest-100");
  }
}
