/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    Target target = Target.of("micros of slow : fast <= 3");

    assertThat(target.value(both)).isEqualTo(3);
    assertThat(target.toReach()).isEqualTo("<= 3.00");
    assertThat(target.verdict(both)).isEqualTo("PASS");
  }

  @Test
  void reportsAMissOnEitherSideOfTheLimit() {
    assertThat(Target.of("micros of slow : fast <= 2.9").verdict(both)).isEqualTo("MISS");
    assertThat(Target.of("micros of slow : fast >= 3.1").verdict(both)).isEqualTo("MISS");
  }

  @Test
  void comparesTwoFiguresOfAContender() {
    slow.add("seconds", 3);
    Target target = Target.of("micros : seconds of slow <= 2");

    assertThat(target.value(both)).isEqualTo(2);
    assertThat(target.verdict(both)).isEqualTo("PASS");
  }

  @Test
  void takesTheMedianOfTheRatiosOfTheRounds() {
    fast.add("micros", 4);
    fast.add("micros", 1);
    slow.add("micros", 1);
    Target target = Target.of("by round: micros of slow : fast");
    assertThat(target.value(both)).isEqualTo(1.75);
    assertThat(target.toReach()).isEqualTo("-");
    assertThat(target.verdict(both)).isEqualTo("-");
  }

  @Test
  void readsFiguresThatContainItsWords() {
    slow.add("idle, % of a core", 0.5);
    assertThat(Target.of("idle, % of a core of slow <= 1/2").verdict(both)).isEqualTo("PASS");
    assertThatThrownBy(() -> Target.of("micros")).hasMessage("no target: micros");
  }

  @Test
  void reportsAMissingContender() {
    Target target = Target.of("micros of absent : fast <= 3");

    assertThat(target.verdict(both)).isEqualTo("not measured");
    assertThat(target.json(both)).doesNotContainKey("value");
  }

  @Test
  void reportsNoRatioToZero() {
    slow.add("perSecond", 3);
    fast.add("perSecond", 0);
    Target target = Target.of("perSecond of slow : fast >= 1");

    assertThat(target.verdict(both)).isEqualTo("not measured");
    assertThat(target.json(both)).doesNotContainKey("value");
  }
}
