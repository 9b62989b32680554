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
import org.springframework.mock.http.MockHttpInputMessage;

class TimedInputTest {

  private final AtomicLong now = new AtomicLong();

  /** A byte at a time, each after five seconds. */
  private InputStream dripping(int bytes) {
    return new ByteArrayInputStream(new byte[bytes]) {
      @Override
      public synchronized int read(byte[] to, int offset, int length) {
        now.addAndGet(Duration.ofSeconds(5).toNanos());
        return super.read(to, offset, Math.min(1, length));
      }
    };
  }

  @Test
  void aBodyThatDripsForLongerThanAMinuteIsGivenUp() throws IOException {
    assertThat(new TimedInput(dripping(11), -1, now::get).readNBytes(20)).hasSize(11);
    InputStream slow = new TimedInput(dripping(1_000), -1, now::get);
    assertThatThrownBy(() -> slow.readNBytes(1_000)).isInstanceOf(SocketTimeoutException.class);
    assertThat(slow.available()).isEqualTo(1_000 - 13);
  }

  @Test
  void aBodyThatAnnouncesSixteenMegabytesHasAMinuteMore() throws IOException {
    assertThat(new TimedInput(dripping(23), 16 << 20, now::get).readNBytes(30)).hasSize(23);
    InputStream slow = new TimedInput(dripping(1_000), 16 << 20, now::get);
    assertThatThrownBy(() -> slow.readNBytes(1_000)).isInstanceOf(SocketTimeoutException.class);
    assertThat(slow.available()).isEqualTo(1_000 - 25);
  }

  @Test
  void aDocumentThatDripsIsGivenUp() {
    MockHttpInputMessage message = new MockHttpInputMessage(dripping(1_000));
    assertThatThrownBy(() -> new SmallBodies(now::get).beforeBodyRead(message, null, null, null))
        .isInstanceOf(SocketTimeoutException.class);
  }
}
