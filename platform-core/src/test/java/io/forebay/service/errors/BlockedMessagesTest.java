/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class BlockedMessagesTest {

  private final BlockedMessages blocked = new BlockedMessages();

  @Test
  void aMessageThatIsNoLongerShownStillFailsIfAnOperatorHasDecidedThat() {
    for (int partition = 0; partition < 2; partition++) {
      blocked.block(partition, 7, "SQLState 55P03", Instant.EPOCH);
    }
    assertThat(blocked.fail(1, 7, "it holds up the others")).isTrue();
    blocked.freeUndecided(0);
    blocked.freeUndecided(1);
    assertThat(blocked.message(0)).isNull();
    assertThat(blocked.verdict(1, 7)).isEqualTo("it holds up the others");
  }

  @Test
  void aDecisionIsAboutOneMessageHoweverOftenItFailsBefore() {
    Instant first = Instant.EPOCH.plusSeconds(1);
    blocked.block(0, 7, "try 1", first);
    assertThat(blocked.fail(0, 7, "it holds up the others")).isTrue();
    blocked.block(0, 7, "try 2", first.plusSeconds(5));
    assertThat(blocked.message(0)).isEqualTo(new BlockingMessage(7, first, 2, "try 2"));
    assertThat(blocked.verdict(0, 7)).isEqualTo("it holds up the others");
    assertThat(blocked.verdict(0, 8)).isNull();

    Instant next = first.plusSeconds(9);
    blocked.block(0, 8, "try 1", next);
    assertThat(blocked.message(0)).isEqualTo(new BlockingMessage(8, next, 1, "try 1"));
    assertThat(blocked.verdict(0, 8)).isNull();
    assertThat(blocked.fail(0, 7, "too late")).isFalse();
  }
}
