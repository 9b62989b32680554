/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the dead letters of a partition from its messages. */
final class StoredLetters {

  private static final Protocol<Letters> PROTOCOL = Protocol.of(Letters.class);

  private StoredLetters() {}

  /** The ids of the messages that became letters, by their positions in the in-queue. */
  static Map<Long, UUID> of(int partition, NavigableMap<Long, byte[]> messages) {
    Map<Long, UUID> letters = new HashMap<>();
    CallReader<Letters> reader = PROTOCOL.reader("dead letters", new Entries(letters));
    messages.forEach((position, bytes) -> {
      reader.read(partition, position, ByteBuffer.wrap(bytes));
      Message.clear();
    });
    return letters;
  }

  /** The calls that the queue of dead letters holds. */
  interface Letters {

    void letter(
        String queueId,
        long position,
        @Nullable UUID messageId,
        String error,
        String text,
        int tries,
        @Nullable UUID replayOf,
        long bytes,
        byte[] message);
  }

  private record Entries(Map<Long, UUID> letters) implements Letters {

    @Override
    public void letter(
        String queueId,
        long position,
        @Nullable UUID messageId,
        String error,
        String text,
        int tries,
        @Nullable UUID replayOf,
        long bytes,
        byte[] message) {
      letters.put(position, messageId);
    }
  }
}
