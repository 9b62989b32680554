/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.forebay.service.progress.Unavailable;
import io.forebay.web.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.InternalAuthenticationServiceException;

class LoginDelayTest {

  private Instant now = Instant.parse("2026-11-27T12:00:00Z");
  private final LoginDelay delay = new LoginDelay(3, () -> now);

  private void fail(int times, String address, String user) {
    for (int i = 0; i < times; i++) {
      assertThatThrownBy(() -> delay.attempt(address, user, LoginDelayTest::wrong))
          .isInstanceOf(BadCredentialsException.class);
    }
  }

  private static Object wrong() {
    throw new BadCredentialsException("wrong");
  }

  private Duration wait(String address, String user) {
    Problem problem =
        catchThrowableOfType(Refused.class, () -> delay.attempt(address, user, () -> "")).problem();
    return Duration.ofSeconds(
        Long.parseLong(Objects.requireNonNull(problem.getHeaders().getFirst("Retry-After"))));
  }

  @Test
  void theWaitDoublesUpToAMinuteAndEndsTenMinutesAfterTheLastFailure() {
    fail(3, "192.0.2.1", "olga");
    for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
      assertThat(wait("192.0.2.1", "olga")).isEqualTo(Duration.ofSeconds(seconds));
      now = now.plusSeconds(seconds);
      fail(1, "192.0.2.1", "olga");
    }
    now = now.plusSeconds(601);
    fail(3, "192.0.2.1", "olga");
  }

  @Test
  void anotherUserAnotherAddressAndARightPasswordAreNotDelayed() {
    fail(3, "192.0.2.1", "olga");
    fail(3, "192.0.2.1", "anna");
    fail(3, "192.0.2.2", "olga");
    now = now.plusSeconds(1);
    assertThat(delay.<String>attempt("192.0.2.1", "olga", () -> "right")).isEqualTo("right");
    fail(3, "192.0.2.1", "olga");
  }

  @Test
  void anAttemptWhosePasswordWasNotCheckedDoesNotCount() {
    for (RuntimeException why :
        List.of(
            new Refused(Problem.of(503)),
            new InternalAuthenticationServiceException("away"),
            new Unavailable("away", null))) {
      for (int i = 0; i < 5; i++) {
        assertThatThrownBy(() ->
                delay.attempt(
                    "192.0.2.1",
                    "olga",
                    () -> {
                      throw why;
                    }))
            .isSameAs(why);
      }
    }
    fail(3, "192.0.2.1", "olga");
    assertThat(wait("192.0.2.1", "olga")).isPositive();
  }

  @Test
  void aNetworkOfIpv6AndAPortOfAProxyAreOneAddress() {
    fail(3, "2001:db8::1", "olga");
    assertThat(wait("2001:db8::ffff", "olga")).isPositive();
    fail(1, "2001:db8:0:1::1", "olga");
    fail(3, "198.51.100.7:1", "olga");
    assertThat(wait("198.51.100.7:2", "olga")).isPositive();
    fail(3, "unknown", "olga");
    assertThat(wait("unknown", "olga")).isPositive();
  }

  @Test
  void madeUpNamesTakeBoundedMemoryAndANewFailureKeepsAnEntry() {
    fail(3, "192.0.2.1", "olga");
    for (int i = 0; i < LoginDelay.MOST - 1; i++) {
      fail(1, "192.0.2.1", "user" + i);
    }
    assertThat(wait("192.0.2.1", "olga")).isPositive();
    fail(1, "192.0.2.1", "one more");
    fail(1, "192.0.2.1", "olga");
  }
}
