/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.results;

import io.forebay.call.Message;
import io.forebay.jdbc.statement.GeneratedKey;
import io.forebay.jdbc.statement.StreamLine;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A result in the out-queue. Thread-safe. */
public final class PublishedResult {

  private final Message envelope;
  private final ByteBuffer bytes;
  private final @Nullable StreamLine line;

  PublishedResult(Message envelope, ByteBuffer bytes) {
    this.envelope = envelope;
    this.bytes = copy(bytes);
    String key = envelope.sourceKey();
    this.line = key == null ? null : StreamLine.of(key);
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }

  /** What is known without reading the result itself; its position is that in the out-queue. */
  public Message envelope() {
    return envelope;
  }

  public int partition() {
    return envelope.partition();
  }

  /** Its position in the out-queue. */
  public long position() {
    return envelope.position();
  }

  /** The line whose result it is; null if its statement was not sent in a stream. */
  public @Nullable StreamLine line() {
    return line;
  }

  /**
   * The idempotency key that its sender chose, or that the door returned to it; null if there is
   * none.
   */
  public @Nullable String key() {
    String key = envelope.sourceKey();
    return key == null || line != null || GeneratedKey.is(key) ? null : key;
  }

  /** Its message. */
  public ByteBuffer bytes() {
    return bytes.duplicate();
  }

  int size() {
    return bytes.remaining();
  }
}
