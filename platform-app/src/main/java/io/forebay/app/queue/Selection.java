/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.call.Message;
import io.forebay.hosting.messages.StoredMessage;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which messages are wanted; null for those that do not matter.
 *
 * @param from null: the first message kept
 * @param to null: the last message
 */
record Selection(
    @Nullable Bound from,
    @Nullable Bound to,
    @Nullable UUID id,
    @Nullable String key,
    @Nullable String statement) {

  /** Whether more than a range is asked for. */
  boolean hasFields() {
    return id != null || key != null || statement != null;
  }

  /** The position from which messages are read: times may be in disorder. */
  long begin(long first) {
    return from == null ? first : Math.max(first, from.position());
  }

  /** The position before which messages are read. */
  long end(long end) {
    return to == null || to.time() != null ? end : Math.min(end, to.position() + 1);
  }

  /** Of a message that cannot be decoded, only the position is known. */
  boolean takes(StoredMessage stored) {
    Message envelope = stored.envelope();
    if (envelope == null) {
      return !hasFields()
          && (from == null || from.time() != null || from.position() <= stored.position())
          && (to == null || to.time() != null || to.position() >= stored.position());
    }
    return (from == null || !from.isAfter(envelope))
        && (to == null || !to.isBefore(envelope))
        && (id == null || id.equals(envelope.id()))
        && (key == null || key.equals(envelope.key()))
        && (statement == null || stored.isOf(statement));
  }
}
