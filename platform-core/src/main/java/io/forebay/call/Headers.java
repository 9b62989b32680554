/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static io.forebay.call.value.DecodeFailure.malformed;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.call.history.History;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.CborOutput;
import io.forebay.queue.sender.UnprovenSender;
import io.forebay.trace.TraceParent;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The headers of a message. Only an {@link Envelope} changes them, before others see them. */
final class Headers {

  /** The headers that a reader knows; the most frequent ones are first. */
  enum Header {
    SOURCE("source"),
    CLIENT("client"),
    KEY("key"),
    SOURCE_CLIENT("sourceClient"),
    SOURCE_KEY("sourceKey"),
    TRACE(TraceParent.NAME),
    RESULT("result"),
    HISTORY(History.HEADER),
    DELIVER_BY("deliverBy"),
    REPLAY_OF("replayOf"),
    FAILURE("failure"),
    DECLINED("declined");

    private static final Header[] ALL = values();

    private final String name;
    private final byte[] bytes;

    Header(String name) {
      this.name = name;
      this.bytes = name.getBytes(US_ASCII);
    }

    /** Skips the next bytes if they are the name of a header; returns null if not. */
    static @Nullable Header skip(CborInput in, int length) {
      for (Header header : ALL) {
        if (in.skipBytes(length, header.bytes)) {
          return header;
        }
      }
      return null;
    }

    /** Writes the name; the value follows. */
    void write(CborOutput out) {
      out.text(Cbor.TEXT, name);
    }
  }

  static final long NEVER = Long.MAX_VALUE;

  static final Headers NONE = new Headers();

  @Nullable String client;
  @Nullable String key;
  @Nullable UUID replayOf;

  /**
   * The time after which it is not performed any more, in microseconds since 1970; {@link #NEVER}
   * if there is none.
   */
  long deliverBy = NEVER;

  /** The position of the message that this one answers, or −1. */
  long source = -1;

  /** The client and the idempotency key of that message, or null. */
  @Nullable String sourceClient;

  @Nullable String sourceKey;

  /** Why that message was not performed, or null. */
  @Nullable CallFailure failure;

  /** How many messages this one answers: 1 unless it is a run. */
  int sources = 1;

  /** The context of the span that sent it, or null. */
  @Nullable TraceParent trace;

  /** The sender is not proven: its names cannot be those of others. */
  void unproven() {
    if (client != null) {
      client = UnprovenSender.PREFIX + client;
      if (client.getBytes(UTF_8).length > Cbor.MAX_KEY_BYTES) {
        throw malformed(
            "the header client has more than %d bytes"
                .formatted(Cbor.MAX_KEY_BYTES - UnprovenSender.PREFIX.length()));
      }
    }
    if (sourceClient != null) {
      sourceClient = UnprovenSender.PREFIX + sourceClient;
    }
  }

  /** The message is a run with that many answers, of which only the position is known. */
  void ofRun(int answers) {
    if (source < 0
        || client != null
        || key != null
        || replayOf != null
        || sourceClient != null
        || sourceKey != null
        || failure != null
        || trace != null) {
      throw malformed("a run has other headers than its source");
    }
    deliverBy = NEVER;
    sources = answers;
  }
}
