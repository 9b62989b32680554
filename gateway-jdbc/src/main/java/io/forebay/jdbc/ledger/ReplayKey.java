/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.call.Message;
import io.forebay.jdbc.statement.GeneratedKey;
import io.forebay.jdbc.statement.StreamLine;
import io.forebay.operations.failures.FailureId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The idempotency key for replaying a message: its own key, or one derived from its position. A
 * line of a stream is replayed by its position, because its stream is beyond it; so is a statement
 * with a {@link GeneratedKey}, which is not stored.
 */
public record ReplayKey(String client, String key) {

  /** Reserved: no caller may use this client name. */
  public static final String CLIENT = "forebay/replay";

  /**
   * @param message its envelope, or null if that cannot be read
   */
  public static ReplayKey of(@Nullable Message message, FailureId id) {
    if (message != null
        && message.key() != null
        && StreamLine.of(message.key()) == null
        && !GeneratedKey.is(message.key())) {
      String client = message.client() == null ? "" : message.client();
      try {
        Message.keyedId(client, message.key());
        return new ReplayKey(client, message.key());
      } catch (IllegalArgumentException _) {
        // an invalid key of a foreign client
      }
    }
    return new ReplayKey(CLIENT, id.text());
  }

  public UUID id() {
    return Message.keyedId(client, key);
  }
}
