/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchmarkTest {

  private enum Rival {
    FAST,
    VERY_SLOW
  }

  private static final class Race extends Benchmark {

    final List<Rival> turns = new ArrayList<>();

    Race(String line) {
      super(new Options(List.of(line.split(" ")), "--short --rounds N --only NAMES"));
    }

    @Override
    protected void run(Path out) throws Exception {
      rotate(
          rounds(2),
          only(Rival.values()),
          rival -> {
            turns.add(rival);
            return new Rounds().add("laps/s", turns.size());
          });
    }

    @Override
    protected List<String> targets() {
      return List.of("laps/s of fast : very-slow >= 2");
    }

    @Override
    protected Set<String> ranges() {
      return Set.of("laps/s");
    }
  }

  @Test
  void theOrderOfTheContendersRotatesByOneEachRound(@TempDir Path out) throws Exception {
    Race race = new Race("--rounds 2");
    race.measure("race", out);

    assertThat(race.turns)
        .containsExactly(Rival.FAST, Rival.VERY_SLOW, Rival.VERY_SLOW, Rival.FAST);
    assertThat(race.figures.get("fast").values("laps/s")).containsExactly(1.0, 4.0);
    assertThat(race.figures.get("very-slow").values("laps/s")).containsExactly(2.0, 3.0);
    assertThat(Files.readString(out.resolve("race.json")))
        .containsSubsequence("\"fast\"", "\"max\" : 4.0", "\"verdict\" : \"MISS\"", "\"rounds\"");
  }

  @Test
  void runsOnlyTheGivenContendersAndOnceInTheShortForm(@TempDir Path out) throws Exception {
    Race race = new Race("--short --only very-slow");
    race.measure("race", out);

    assertThat(race.turns).containsExactly(Rival.VERY_SLOW);
    assertThat(Files.readString(out.resolve("race.json"))).contains("\"not measured\"");
  }
}
