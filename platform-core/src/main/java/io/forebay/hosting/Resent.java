/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.Writer;
import io.forebay.queue.Appender;
import io.forebay.service.errors.Acceptance;
import io.forebay.service.progress.Unavailable;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A message that was sent again.
 *
 * @param id its new id
 * @param position its new position, or {@link Appender#UNKNOWN_POSITION}
 */
public record Resent(UUID id, long position) {

  /**
   * Sends a message again and waits until it is accepted.
   *
   * @param writer of the partition; the options of its next call apply
   * @throws Unavailable if the queue has not accepted it in time; it may be performed nevertheless
   */
  public static Resent send(Writer<?> writer, byte[] message) {
    AtomicLong accepted = new AtomicLong(Appender.UNKNOWN_POSITION);
    writer.onAcknowledged((_, _, position) -> accepted.set(position));
    writer.repeat(ByteBuffer.wrap(message));
    Acceptance.await(
        writer,
        "the queue has not acknowledged the message",
        "; it may still be performed; a gateway performs it once, however often it is sent");
    long known = writer.lastPosition();
    return new Resent(writer.lastId(), known == Appender.UNKNOWN_POSITION ? accepted.get() : known);
  }
}
