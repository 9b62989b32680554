/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A backlog larger than main memory, written by a process with a small heap while nothing is
 * performed, then drained. Each contender has its own process and its own files, which are deleted
 * before the next one.
 */
final class BacklogBenchmark extends Benchmark {

  private static final List<String> JVM =
      List.of("-Xms256m", "-Xmx256m", "-XX:MaxDirectMemorySize=64m");
  private static final double GIGABYTE = 1e9;
  private static final double LEAST_LONG_GIGABYTES = 25;
  private static final double TIMES_MEMORY = 1.1;
  private static final double SHORT_GIGABYTES = 0.2;
  private static final long WARMUP = 200_000;

  /** Bytes on the disk for each message: its queue entry, its result, its row and its log. */
  private static final double BYTES_ON_DISK = 424;

  private static final double OTHER_GIGABYTES = 2.5;

  private final double gigabytes;
  private final List<BacklogContender> contenders;

  BacklogBenchmark(Options options) {
    super(options);
    gigabytes =
        options
            .amount("gigabytes")
            .orElse(
                brief
                    ? SHORT_GIGABYTES
                    : Math.max(LEAST_LONG_GIGABYTES, TIMES_MEMORY * memoryGigabytes()));
    contenders = only(BacklogContender.values());
  }

  private static double memoryGigabytes() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getTotalMemorySize()
        / GIGABYTE;
  }

  @Override
  protected void run(Path out) throws Exception {
    long messages = Math.round(gigabytes * GIGABYTE / BacklogContender.MESSAGE_BYTES);
    requireSpace(messages, out);
    boolean postgresql = contenders.stream().anyMatch(BacklogContender::needsPostgresql);
    try (Testbed testbed = postgresql ? testbed(out, Map.of()) : new Testbed(out)) {
      rotate(
          1,
          contenders,
          contender -> {
            if (gigabytes > memoryGigabytes()) {
              // Earlier work leaves dirty pages; all contenders begin with none.
              new ProcessBuilder("sync").inheritIO().start().waitFor();
            }
            List<String> command = new ArrayList<>(List.of(BacklogTrial.COMMAND));
            command.addAll(List.of("--contender", title(contender), "--messages", "" + messages));
            command.addAll(List.of("--warmup", "" + Math.min(WARMUP, messages)));
            return testbed.trial(JVM, contender.needsPostgresql(), command).getFirst();
          });
    }
  }

  /**
   * @throws UsageError if the disk has too little space
   */
  private void requireSpace(long messages, Path out) throws IOException {
    FileStore disk = Files.getFileStore(out);
    // Forebay accepts nothing when less than a twentieth of the disk is free.
    double needed =
        messages * BYTES_ON_DISK / GIGABYTE
            + OTHER_GIGABYTES
            + disk.getTotalSpace() / 20 / GIGABYTE;
    double free = disk.getUsableSpace() / GIGABYTE;
    if (free < needed) {
      throw new UsageError(
          String.format(
              Locale.ROOT,
              "a backlog of %.1f GB needs %.0f GB of free disk at %s, but %.0f GB are free;"
                  + " use another disk, or a smaller backlog with --gigabytes",
              gigabytes,
              Math.ceil(needed),
              out,
              Math.floor(free)));
    }
  }

  @Override
  protected List<String> targets() {
    List<String> targets = new ArrayList<>();
    targets.add("accepted/s of forebay-direct : bare-append >= 0.6");
    targets.add("accepted/s, last tenth : drained/s of forebay-direct >= 2");
    for (BacklogContender contender : contenders) {
      targets.add("accepted/s, last tenth : accepted/s, first tenth of " + title(contender));
      targets.add(
          "drained/s, last tenth : drained/s, first tenth of "
              + title(contender)
              + (contender.needsPostgresql() ? " >= 0.8" : ""));
    }
    targets.add("own memory MB of forebay-direct <= 512");
    return targets;
  }
}
