/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.bench.Target.Sense;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TargetTest {

  private final Rounds fast = new Rounds();
  private final Rounds slow = new Rounds();
  private final Map<String, Rounds> both = Map.of("fast", fast, "slow", slow);

  TargetTest() {
    fast.add("micros", 2);
    slow.add("micros", 5);
    slow.add("micros", 7);
  }

  @Test
  void comparesOneMedianWithAnother() {
    Target target = new Target("it", Target.ratio("micros", "slow", "fast"), Sense.AT_MOST, 3);

    assertThat(target.value(both)).isEqualTo("3.00");
    assertThat(target.toReach()).isEqualTo("<= 3.00");
    assertThat(target.verdict(both)).isEqualTo("PASS");
  }

  @Test
  void reportsAMissOnEitherSideOfTheLimit() {
    assertThat(
            new Target("it", Target.ratio("micros", "slow", "fast"), Sense.AT_MOST, 2.9)
                .verdict(both))
        .isEqualTo("MISS");
    assertThat(
            new Target("it", Target.ratio("micros", "slow", "fast"), Sense.AT_LEAST, 3.1)
                .verdict(both))
        .isEqualTo("MISS");
  }

  @Test
  void comparesTwoFiguresOfAContender() {
    slow.add("seconds", 3);
    Target target = new Target("it", Target.within("slow", "micros", "seconds"), Sense.AT_MOST, 2);

    assertThat(target.value(both)).isEqualTo("2.00");
    assertThat(target.verdict(both)).isEqualTo("PASS");
  }

  @Test
  void takesTheGreatestValue() {
    Target target = new Target("it", Target.greatest("micros", "slow"), Sense.AT_MOST, 6.5);

    assertThat(target.value(both)).isEqualTo("7.00");
    assertThat(target.verdict(both)).isEqualTo("MISS");
  }

  @Test
  void reportsAMissingContender() {
    Target target = new Target("it", Target.ratio("micros", "absent", "fast"), Sense.AT_MOST, 3);

    assertThat(target.verdict(both)).isEqualTo("not measured");
    assertThat(target.json(both)).doesNotContainKey("value");
  }

  @Test
  void reportsNoRatioToZero() {
    slow.add("perSecond", 3);
    fast.add("perSecond", 0);
    Target target = new Target("it", Target.ratio("perSecond", "slow", "fast"), Sense.AT_LEAST, 1);

    assertThat(target.verdict(both)).isEqualTo("not measured");
    assertThat(target.json(both)).doesNotContainKey("value");
  }
}
