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
}
