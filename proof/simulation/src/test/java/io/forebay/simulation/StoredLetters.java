/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.service.errors.DeadLetter;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.UUID;

/** Reads the dead letters of a partition from its messages. */
final class StoredLetters {

  private static final Protocol<Letters> PROTOCOL = Protocol.of(Letters.class);

  private StoredLetters() {}

  /** The ids of the messages that became letters, by their positions in the in-queue. */
  static Map<Long, UUID> of(int partition, NavigableMap<Long, byte[]> messages) {
    Map<Long, UUID> letters = new HashMap<>();
    CallReader<Letters> reader =
        PROTOCOL.reader(
            "dead letters", (letter, _) -> letters.put(letter.position(), letter.messageId()));
    messages.forEach((position, bytes) -> {
      reader.read(partition, position, ByteBuffer.wrap(bytes));
      Message.clear();
    });
    return letters;
  }

  /** The calls that the queue of dead letters holds. */
  interface Letters {

    void letter(DeadLetter letter, byte[] message);
  }
}
