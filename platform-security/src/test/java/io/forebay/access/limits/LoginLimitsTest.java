/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.access.TooManyLogins;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoginLimitsTest {

  private static final int FREE = 5;

  private Instant now = Instant.EPOCH;
  private final LoginLimits limits = new LoginLimits(FREE, () -> now);

  /** How many of so many attempts may check a password; none of them is right. */
  private int checked(int attempts, String address, String account) {
    AtomicInteger checked = new AtomicInteger();
    try (ExecutorService guesses = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < attempts; i++) {
        String from = address.formatted(i);
        guesses.submit(() -> {
          limits.begin(from, account);
          checked.incrementAndGet();
          return null;
        });
      }
    }
    return checked.get();
  }

  @Test
  void parallelGuessesAreNoMoreThanOneAfterTheOther() {
    assertThat(checked(500, "10.0.0.1", "olga")).isEqualTo(FREE);
    now = now.plusSeconds(1);
    assertThat(checked(500, "10.0.0.1", "anna")).as("the address").isEqualTo(1);
  }

  @Test
  void anAccountIsLimitedWhateverTheAddresses() {
    assertThat(checked(500, "2001:db8:0:%x::1", "olga")).isEqualTo(5 * FREE);
    assertThatThrownBy(() -> limits.begin("10.0.0.9", "olga"))
        .isInstanceOf(TooManyLogins.class)
        .hasMessageContaining("for this user");
    assertThatCode(() -> limits.begin("10.0.0.9", "anna")).doesNotThrowAnyException();
  }

  @Test
  void guessesOfOthersDoNotLockOutAUserWhoseNetworkIsKnown() {
    limits.begin("2001:db8:1:1::7", "olga").succeeded();
    checked(500, "10.0.0.%d", "olga");
    assertThatCode(() -> limits.begin("2001:db8:1:1::8", "olga").succeeded())
        .doesNotThrowAnyException();
    assertThat(checked(500, "2001:db8:1:1::%x", "olga")).as("limited itself").isEqualTo(FREE);
  }

  /** Each network guesses whenever it may. */
  private void guess(int networks) {
    for (int i = 0; i < networks; i++) {
      try {
        limits.begin("10.0.1." + i, "olga");
      } catch (TooManyLogins e) {
        assertThat(e.retryAfter()).isPositive();
      }
    }
  }

  private boolean isIn() {
    try {
      limits.begin("10.0.0.2", "olga").succeeded();
      return true;
    } catch (TooManyLogins _) {
      return false;
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 21600, 12", "4, 30, 60", "4, 120, 60", "4, 600, 60", "4, 21600, 60"})
  void fewNetworksThatGuessWithoutEndDoNotKeepOthersAway(int networks, int seconds, int most) {
    for (int i = 0; i < seconds; i++) {
      guess(networks);
      now = now.plusSeconds(1);
    }
    int waited = 0;
    guess(networks);
    while (waited <= most && !isIn()) {
      now = now.plusSeconds(1);
      waited++;
      guess(networks);
    }
    assertThat(waited).isLessThanOrEqualTo(most);
  }

  @Test
  void whatSucceedsOrIsNotCheckedDoesNotCount() {
    for (int i = 0; i < 10 * FREE; i++) {
      limits.begin("10.0.0.1", "olga").succeeded();
      limits.begin("10.0.0.2", "anna").undo();
    }
    assertThat(checked(500, "10.0.0.1", "anna")).isEqualTo(FREE);
  }

  @Test
  void rightPasswordsDoNotKeepOthersBehindTheSameAddressAway() {
    checked(500, "10.0.0.1", "anna");
    for (int i = 0; i < 11; i++) {
      now = now.plusSeconds(60);
      limits.begin("10.0.0.1", "olga").succeeded();
      limits.begin("10.0.0.1", "otto").succeeded();
    }
    assertThat(checked(500, "10.0.0.1", "anna")).as("forgotten after 10 min").isEqualTo(FREE);
  }

  @Test
  void anAddressThatAProxyGarbledCountsAsItIs() {
    assertThat(checked(500, "10.0.0.1:4711, x", "olga")).isEqualTo(FREE);
  }
}
