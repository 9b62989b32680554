/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TokenBucketTest {

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000); // it may overflow
  private final TokenBucket bucket = new TokenBucket(100, 10, now::get);

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void isFullAtFirstAndGetsTokensAtItsRate() {
    assertThat(bucket.tryTake(10)).isTrue();
    assertThat(bucket.available()).isZero();
    assertThat(bucket.tryTake(1)).isFalse();
    assertThat(bucket.nanosUntil(3)).isEqualTo(Duration.ofMillis(30).toNanos());

    pass(Duration.ofMillis(29));
    assertThat(bucket.tryTake(3)).isFalse();
    assertThat(bucket.available()).isEqualTo(2);
    pass(Duration.ofMillis(1));
    assertThat(bucket.tryTake(3)).isTrue();
    assertThat(bucket.tryTake(1)).isFalse();
  }

  @Test
  void holdsNoMoreThanTheBurst() {
    pass(Duration.ofHours(1));
    assertThat(bucket.available()).isEqualTo(10);
    assertThat(bucket.tryTake(10)).isTrue();
    assertThat(bucket.tryTake(1)).isFalse();
  }

  @Test
  void moreThanTheBurstIsTakenWhenFullAndThenMissing() {
    assertThat(bucket.tryTake(30)).isTrue();
    assertThat(bucket.nanosUntil(1)).isEqualTo(Duration.ofMillis(210).toNanos());
    pass(Duration.ofMillis(299));
    assertThat(bucket.tryTake(30)).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(bucket.tryTake(30)).isTrue();
  }

  @Test
  void aStreamTakesWhatThereIsButNotEachTokenAlone() {
    assertThat(bucket.takeSome(4)).isEqualTo(4);
    assertThat(bucket.takeSome(100)).isEqualTo(6);
    pass(Duration.ofMillis(40));
    assertThat(bucket.takeSome(100)).as("a twentieth of a second is 5 tokens").isZero();
    assertThat(bucket.takeSome(2)).as("no more are wanted").isEqualTo(2);
    pass(Duration.ofMillis(30));
    assertThat(bucket.takeSome(100)).isEqualTo(5);
  }

  @Test
  void theRateHoldsOverTimeThoughATokenTakesNoWholeNumberOfNanoseconds() {
    TokenBucket uneven = new TokenBucket(700_000, 1_000, now::get);
    uneven.tryTake(1_000);
    pass(Duration.ofMillis(1));
    int taken = 0;
    for (int i = 0; i < 1_000; i++) {
      taken += uneven.takeSome(1_000);
      pass(Duration.ofMillis(1));
    }
    assertThat(taken).isBetween(698_000, 700_000);
  }
}
