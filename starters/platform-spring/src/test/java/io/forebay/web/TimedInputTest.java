/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TimedInputTest {

  private final AtomicLong now = new AtomicLong();

  /** A byte at a time, each after a pause. */
  private InputStream dripping(int bytes, Duration pause) {
    return new TimedInput(
        new ByteArrayInputStream(new byte[bytes]) {
          @Override
          public synchronized int read(byte[] to, int offset, int length) {
            now.addAndGet(pause.toNanos());
            return super.read(to, offset, Math.min(1, length));
          }
        },
        now::get);
  }

  @Test
  void aBodyThatDripsForLongerThanAMinuteIsGivenUp() throws IOException {
    assertThat(dripping(11, Duration.ofSeconds(5)).readNBytes(20)).hasSize(11);
    InputStream slow = dripping(1_000, Duration.ofSeconds(5));
    assertThatThrownBy(() -> slow.readNBytes(1_000)).isInstanceOf(SocketTimeoutException.class);
    assertThat(slow.available()).isEqualTo(1_000 - 13);
  }
}
