/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LoginDelayTest {

  private Instant now = Instant.parse("2026-11-27T12:00:00Z");
  private final LoginDelay delay = new LoginDelay(3, () -> now);

  private void fail(int times, String address, String user) {
    for (int i = 0; i < times; i++) {
      delay.begin(address, user);
    }
  }

  private Duration wait(String address, String user) {
    return catchThrowableOfType(TooManyLogins.class, () -> delay.begin(address, user)).retryAfter();
  }

  @Test
  void theWaitDoublesUpToAMinuteAndEndsTenMinutesAfterTheLastFailure() {
    fail(3, "192.0.2.1", "olga");
    for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
      assertThat(wait("192.0.2.1", "olga")).isEqualTo(Duration.ofSeconds(seconds));
      now = now.plusSeconds(seconds);
      delay.begin("192.0.2.1", "olga");
    }
    now = now.plusSeconds(601);
    fail(3, "192.0.2.1", "olga");
  }

  @Test
  void anotherUserAnotherAddressAndARightPasswordAreNotDelayed() {
    fail(3, "192.0.2.1", "olga");
    assertThatCode(() -> fail(3, "192.0.2.1", "anna")).doesNotThrowAnyException();
    assertThatCode(() -> fail(3, "192.0.2.2", "olga")).doesNotThrowAnyException();
    delay.succeeded("192.0.2.1", "olga");
    assertThatCode(() -> fail(3, "192.0.2.1", "olga")).doesNotThrowAnyException();
  }

  @Test
  void anAttemptWhosePasswordWasNotCheckedDoesNotCount() {
    for (int i = 0; i < 10; i++) {
      delay.begin("192.0.2.1", "olga");
      delay.undo("192.0.2.1", "olga");
    }
    fail(3, "192.0.2.1", "olga");
    assertThat(wait("192.0.2.1", "olga")).isPositive();
  }

  @Test
  void aNetworkOfIpv6AndAPortOfAProxyAreOneAddress() {
    fail(3, "2001:db8::1", "olga");
    assertThat(wait("2001:db8::ffff", "olga")).isPositive();
    assertThatCode(() -> delay.begin("2001:db8:0:1::1", "olga")).doesNotThrowAnyException();
    fail(3, "198.51.100.7:1", "olga");
    assertThat(wait("198.51.100.7:2", "olga")).isPositive();
    fail(3, "unknown", "olga");
    assertThat(wait("unknown", "olga")).isPositive();
  }

  @Test
  void madeUpNamesTakeBoundedMemoryAndANewFailureKeepsAnEntry() {
    fail(3, "192.0.2.1", "olga");
    for (int i = 0; i < LoginDelay.MOST - 1; i++) {
      delay.begin("192.0.2.1", "user" + i);
    }
    assertThatThrownBy(() -> delay.begin("192.0.2.1", "olga")).isInstanceOf(TooManyLogins.class);
    delay.begin("192.0.2.1", "one more");
    assertThatCode(() -> delay.begin("192.0.2.1", "olga")).doesNotThrowAnyException();
  }
}
