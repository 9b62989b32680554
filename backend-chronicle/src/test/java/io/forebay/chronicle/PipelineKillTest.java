/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Writer;
import io.forebay.hosting.SquarePipeline;
import io.forebay.service.progress.HostedProgress;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process of a pipeline dies; each stage performs each answer of the one before once. */
final class PipelineKillTest {

  private static final int KILLS = Integer.getInteger("forebay.kills", 4);
  private static final int AT_ONCE = 50;

  @TempDir Path data;

  private static SquarePipeline open(ChronicleBackend backend, Path data) {
    return new SquarePipeline(backend, HostedProgress.inFiles(data.resolve("progress")));
  }

  /** Sends numbers without end and reports those that are stored. */
  static final class Sending {
    public static void main(String[] arguments) throws Exception {
      Path data = Path.of(arguments[0]);
      SquarePipeline pipeline = open(ChronicleBackend.open(data), data);
      pipeline.start();
      Writer<SquarePipeline.Numbers> writer = pipeline.createWriter();
      for (long number = Long.parseLong(arguments[1]); ; number += AT_ONCE) {
        SquarePipeline.send(writer, number, AT_ONCE);
        System.out.println("stored " + number);
      }
    }
  }

  @Test
  void eachStagePerformsEachAnswerOnceAfterAKill() throws Exception {
    survive(1);
  }

  @Tag("proof")
  @Test
  void eachStagePerformsEachAnswerOnceAfterKills() throws Exception {
    survive(KILLS);
  }

  private void survive(int kills) throws Exception {
    Random random = new Random(11);
    Set<Long> stored = new HashSet<>();
    for (int kill = 0; kill < kills; kill++) {
      long first = 1 + kill * 1_000_000L;
      try (ChildProcess child = ChildProcess.start(Sending.class, data.resolve("d"), first)) {
        child.await("stored " + (first + AT_ONCE));
        child.endsWithin(Duration.ofMillis(random.nextInt(500)));
        child.kill();
        for (String line : child.lines()) {
          if (line.matches("stored \\d+")) {
            long from = Long.parseLong(line.substring("stored ".length()));
            LongStream.range(from, from + AT_ONCE).forEach(stored::add);
          }
        }
      }
    }
    assertThat(stored).hasSizeGreaterThan(kills * AT_ONCE);
    try (ChronicleBackend backend = ChronicleBackend.open(data.resolve("d"));
        SquarePipeline pipeline = open(backend, data.resolve("d"))) {
      pipeline.start();
      assertThat(pipeline.last().drain(Duration.ofSeconds(60))).isTrue();
      pipeline.assertAnsweredOnce(stored);
    }
  }
}
