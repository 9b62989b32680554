/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BackOffTest {

  private Instant now = Instant.EPOCH;
  private final BackOff backOff = new BackOff(3, () -> now);

  private Duration fail(String address) {
    return backOff.failed(address);
  }

  @Test
  void waitsLongerWithEachFailureUpToAMinute() {
    for (int i = 0; i < 3; i++) {
      assertThat(fail("a")).isZero();
    }
    assertThat(fail("a")).isEqualTo(Duration.ofSeconds(1));
    assertThat(fail("b")).as("another address").isZero();
    for (long seconds : new long[] {2, 4, 8, 16, 32, 60, 60}) {
      now = now.plus(fail("a"));
      assertThat(fail("a")).as("answered as usual again").isZero();
      assertThat(fail("a")).isEqualTo(Duration.ofSeconds(seconds));
    }
  }

  /** How many of so many attempts at once may check a password; none of them is right. */
  private int checked(int attempts, String address, String user) {
    AtomicInteger checked = new AtomicInteger();
    try (ExecutorService guesses = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < attempts; i++) {
        guesses.submit(() -> {
          if (backOff.failed(address, user).isZero()) {
            checked.incrementAndGet();
          }
        });
      }
    }
    return checked.get();
  }

  @Test
  void parallelGuessesAreNoMoreThanOneAfterTheOther() {
    assertThat(checked(500, "10.0.0.1", "olga")).isEqualTo(3);
    now = now.plusSeconds(1);
    assertThat(checked(500, "10.0.0.1", "olga")).isEqualTo(1);
  }

  @Test
  void guessesDoNotKeepTheUserAwayWhoComesFromAnotherAddressNorOthersBehindTheSame() {
    checked(500, "10.0.0.1", "olga");
    assertThat(backOff.failed("10.0.0.2", "olga")).isZero();
    assertThat(backOff.failed("10.0.0.1", "anna")).isZero();
    assertThat(backOff.failed("10.0.0.1")).as("with a token").isZero();
    assertThat(backOff.failed("10.0.0.1", "olga")).isPositive();
  }

  @Test
  void whatSucceedsOrIsNotCheckedDoesNotCount() {
    for (int i = 0; i < 30; i++) {
      assertThat(backOff.failed("10.0.0.1", "olga")).isZero();
      backOff.succeeded("10.0.0.1", "olga");
      assertThat(backOff.failed("10.0.0.2", "anna")).isZero();
      backOff.undo("10.0.0.2", "anna");
    }
    assertThat(checked(500, "10.0.0.2", "anna")).isEqualTo(3);
  }

  @Test
  void anAttemptThatWasNotCheckedLeavesTheFailuresBeforeIt() {
    assertThat(checked(500, "10.0.0.1", "olga")).isEqualTo(3);
    now = now.plusSeconds(1);
    assertThat(backOff.failed("10.0.0.1", "olga")).isZero();
    backOff.undo("10.0.0.1", "olga");
    assertThat(backOff.failed("10.0.0.1", "olga")).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void forgetsAnAddressThatStopped() {
    for (int i = 0; i < 4; i++) {
      fail("a");
    }
    assertThat(fail("a")).isPositive();
    now = now.plus(Duration.ofMinutes(11));
    for (int i = 0; i < 3; i++) {
      assertThat(fail("a")).isZero();
    }
    assertThat(fail("a")).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void countsANetworkOfIpv6AsOneAddress() {
    for (int i = 0; i < 3; i++) {
      fail("2001:db8:0:1:0:0:0:" + i);
    }
    assertThat(fail("2001:db8:0:1:ffff:0:0:9")).isPositive();
    assertThat(fail("2001:db8:0:2:0:0:0:1")).isZero();
  }

  @Test
  void countsAForwardedAddressWithoutItsPort() {
    for (int port = 1; port <= 3; port++) {
      fail("203.0.113.9:" + port);
      fail("[203.0.113.7:%d]".formatted(port)); // how Spring writes it
      fail("[2001:db8::9]:" + port);
    }
    assertThat(fail("203.0.113.9")).isPositive();
    assertThat(fail("203.0.113.7")).isPositive();
    assertThat(fail("2001:db8::1")).isPositive();
    assertThat(fail("203.0.113.8:1")).isZero();
  }

  @Test
  void countsATextThatIsNoAddressAsItIs() {
    for (String text :
        List.of("", ":", "::::", "a:b", "[", "[]", "[::1", "[::1]x", "1.2.3.4:x", "fe80::1%eth9")) {
      for (int i = 0; i < 3; i++) {
        assertThat(fail(text)).as(text).isZero();
      }
      assertThat(fail(text)).as(text).isPositive();
    }
    String longText = "x".repeat(8_000);
    for (int i = 0; i < 3; i++) {
      fail(longText + i);
    }
    assertThat(fail(longText)).as("only its beginning is held").isPositive();
  }

  @Test
  void holdsNoMoreAddressesThanItMay() {
    for (int i = 0; i < 3; i++) {
      fail("first");
    }
    assertThat(fail("first")).isPositive();
    for (int i = 0; i < BackOff.MOST; i++) {
      fail("address " + i);
    }
    assertThat(fail("first")).as("forgotten").isZero();
  }
}
