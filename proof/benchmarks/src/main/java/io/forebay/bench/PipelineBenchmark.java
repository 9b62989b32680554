/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.sweep.Plan;
import io.forebay.bench.sweep.Sweep;
import io.forebay.bench.sweep.Verdict;
import io.forebay.chronicle.ChronicleBackend.Writing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Which rate three services behind each other sustain: Forebay's own services, exactly once and
 * with the history of each message, beside bare method writers and readers of Chronicle Queue. The
 * threads of all contenders wait alike: they yield the processor again and again.
 */
final class PipelineBenchmark extends Benchmark {

  private static final String SUSTAINED = "sustained/s";
  private static final long WARM_UP = 200_000;
  private static final long BURST = 300_000;
  private static final long SHORT_BURST = 20_000;

  private enum Contender {
    BARE_CHAIN,
    FOREBAY,
    FOREBAY_ASYNC;

    private PipelineChain open(Path folder) {
      return switch (this) {
        case BARE_CHAIN -> new SeedPipeline(folder);
        case FOREBAY -> new ForebayPipeline(folder, Writing.DIRECT);
        case FOREBAY_ASYNC -> new ForebayPipeline(folder, Writing.ASYNC);
      };
    }
  }

  private final Plan plan;

  PipelineBenchmark(Options options) {
    super(options);
    double seconds = options.amount("seconds").orElse(brief ? 0.2 : 2.0);
    Duration length = Duration.ofMillis((long) (1e3 * seconds));
    plan = brief ? Plan.briefSearch(length) : Plan.search(length);
  }

  @Override
  protected void run(Path out) throws Exception {
    try (Testbed testbed = new Testbed(out)) {
      rotate(rounds(3), List.of(Contender.values()), it -> measure(it, testbed));
    }
  }

  private Rounds measure(Contender contender, Testbed testbed) throws Exception {
    Path folder = testbed.newFolder("chain");
    Rounds figures = new Rounds();
    try (PipelineChain chain = contender.open(folder.resolve("data"))) {
      chain.burst(brief ? SHORT_BURST : WARM_UP);
      long burst = brief ? SHORT_BURST : BURST;
      long before = Load.cpuNanos();
      chain.burst(burst);
      double cpuMicros = (Load.cpuNanos() - before) / 1e3 / burst;
      Verdict verdict = new Sweep(chain, plan, point -> System.out.println("  " + point)).run();
      figures
          .add(SUSTAINED, verdict.sustainablePerSecond())
          .add("keeps up/s", verdict.kneePerSecond())
          .add("typical µs", verdict.typicalNanos() / 1e3)
          .add("CPU µs per message", cpuMicros)
          .add("bytes per message", (double) chain.storedBytes() / chain.sent());
    }
    Testbed.delete(folder);
    return figures;
  }

  @Override
  protected List<String> targets() {
    return List.of(
        "sustained/s of forebay : bare-chain >= 1",
        "sustained/s of forebay-async : bare-chain >= 1");
  }
}
