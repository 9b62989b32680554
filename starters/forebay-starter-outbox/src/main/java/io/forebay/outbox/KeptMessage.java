/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.queue.Appender;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Keeps the one message that a writer appends, for the table. Not thread-safe. */
final class KeptMessage implements Appender {

  private byte @Nullable [] message;
  private long ticket;

  /**
   * @throws IllegalArgumentException if nothing was appended
   */
  byte[] message() {
    if (message == null) {
      throw new IllegalArgumentException("Nothing sent: no call was made");
    }
    return message;
  }

  @Override
  public long append(int partition, ByteBuffer appended) {
    if (message != null) {
      throw new IllegalStateException("Nothing sent: more than one call was made");
    }
    byte[] bytes = new byte[appended.remaining()];
    appended.get(appended.position(), bytes);
    message = bytes;
    return ++ticket;
  }

  @Override
  public long ticket() {
    return ticket;
  }

  @Override
  public boolean isAcknowledged(long of) {
    return false;
  }

  @Override
  public void await(long of, Duration timeout) {}

  @Override
  public void onAcknowledged(AcknowledgementListener listener) {}

  @Override
  public void close() {}
}
