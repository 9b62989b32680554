/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The latency of messages of 32 bytes at fixed rates, from the time they were due to the time they
 * were read (or written, with {@code --writer-only}), up to the worst one: the writing modes of the
 * Chronicle backend beside plain Chronicle Queue and beside no queue at all. The order of the
 * contenders rotates by one each round.
 */
final class TailBenchmark extends Benchmark {

  private static final long PERIOD_MILLIS = 2_000;

  private final long stallMillis;
  private final boolean writerOnly;
  private final double seconds;
  private final List<Long> rates;
  private final List<TailContender> contenders;

  TailBenchmark(Options options) {
    super(options);
    stallMillis = options.count("stall").orElse(0L);
    if (stallMillis >= PERIOD_MILLIS) {
      throw new UsageError("option --stall needs a number below " + PERIOD_MILLIS);
    }
    writerOnly = options.has("writer-only");
    seconds = options.count("seconds").orElse(brief ? 1L : 20L);
    rates =
        options
            .count("rate")
            .map(List::of)
            .orElse(brief ? List.of(50_000L) : List.of(50_000L, 250_000L));
    contenders = new ArrayList<>(only(TailContender.values()));
    if (stallMillis > 0 && !options.has("only")) {
      // While the disk stalls, the thread of pretouch holds a lock of the kernel that starting a
      // process may need, and this process has to end the stall.
      contenders.remove(TailContender.PRETOUCH);
    }
  }

  @Override
  protected void run(Path out) throws Exception {
    try (Testbed testbed = new Testbed(out)) {
      Path data = testbed.newFolder("queues");
      if (stallMillis == 0) {
        measure(data, null);
      } else {
        try (StallingDisk disk = StallingDisk.mount(data)) {
          measure(disk.folder(), disk);
        }
      }
    }
  }

  private void measure(Path data, @Nullable StallingDisk disk) throws Exception {
    int rounds = rounds(8);
    for (int round = 0; round < rounds; round++) {
      for (long rate : rates) {
        for (int i = 0; i < contenders.size(); i++) {
          TailContender contender = contenders.get((round + i) % contenders.size());
          Path folder = Files.createDirectory(data.resolve("queue"));
          Rounds of;
          try (TailContender.Way way = contender.open(folder.resolve("data"))) {
            of = measure(way, rate, disk);
          }
          Testbed.delete(folder);
          System.out.printf("%d/%d %s: %s%n", round + 1, rounds, name(contender, rate), of);
          of(name(contender, rate)).addAll(of);
        }
      }
    }
  }

  private Rounds measure(TailContender.Way way, long rate, @Nullable StallingDisk disk)
      throws Exception {
    try (TailLoad load = new TailLoad(way, !writerOnly);
        StallingDisk.Stalls _ = disk == null ? null : disk.new Stalls(stallMillis, PERIOD_MILLIS)) {
      return load.measure(rate, seconds);
    }
  }

  private static String name(TailContender contender, long rate) {
    return title(contender) + "-" + rate;
  }

  @Override
  protected List<String> targets() {
    return rates.stream()
        .flatMap(it ->
            Stream.of(
                "99.99 % µs of async-" + it + " : direct-" + it + " <= 0.1",
                "99.97 % µs of pretouch-" + it + " : direct-" + it + " <= 1"))
        .toList();
  }
}
