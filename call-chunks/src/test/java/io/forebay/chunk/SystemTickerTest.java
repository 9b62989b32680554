/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SystemTickerTest {

  @Test
  void aTickThatFailsIsFollowedByTheNextOne() throws Exception {
    CountDownLatch ticks = new CountDownLatch(3);
    Runnable stop =
        Ticker.every(Duration.ofMillis(1))
            .start(() -> {
              ticks.countDown();
              if (ticks.getCount() == 2) {
                throw new IllegalStateException("failed");
              }
              throw new AssertionError("failed");
            });
    try {
      assertThat(ticks.await(120, TimeUnit.SECONDS)).isTrue();
    } finally {
      stop.run();
    }
  }
}
