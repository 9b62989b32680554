/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static io.forebay.call.value.DecodeFailure.malformed;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.call.value.Cbor;
import io.forebay.queue.sender.UnprovenSender;
import io.forebay.trace.TraceParent;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * @param deliverBy the time after which it is not performed any more, in microseconds since 1970;
 *     {@link #NEVER} if there is none
 * @param source the position of the message that this one answers, or −1
 * @param sourceClient the client of that message, or null
 * @param sourceKey the idempotency key of that message, or null
 * @param failure why that message was not performed, or null
 * @param sources how many messages this one answers: 1 unless it is a run
 * @param trace the context of the span that sent it, or null
 */
record Headers(
    @Nullable String client,
    @Nullable String key,
    @Nullable UUID replayOf,
    long deliverBy,
    long source,
    @Nullable String sourceClient,
    @Nullable String sourceKey,
    @Nullable CallFailure failure,
    int sources,
    @Nullable TraceParent trace) {

  static final long NEVER = Long.MAX_VALUE;

  static final Headers NONE = new Headers(null, null, null, NEVER, -1, null, null, null, 1, null);

  static final String CLIENT = "client";
  static final String KEY = "key";
  static final String REPLAY_OF = "replayOf";
  static final String DELIVER_BY = "deliverBy";
  static final String SOURCE = "source";
  static final String SOURCE_CLIENT = "sourceClient";
  static final String SOURCE_KEY = "sourceKey";
  static final String FAILURE = "failure";
  static final String DECLINED = "declined";
  static final String RESULT = "result";

  /** Whether nothing but the position of the answered message is known. */
  private boolean isOnlySource() {
    return source >= 0
        && client == null
        && key == null
        && replayOf == null
        && sourceClient == null
        && sourceKey == null
        && failure == null
        && trace == null;
  }

  /** The headers of a message whose sender is not proven: its names cannot be those of others. */
  Headers unproven() {
    if (client == null && sourceClient == null) {
      return this;
    }
    return new Headers(
        client == null ? null : unprovenClient(client),
        key,
        replayOf,
        deliverBy,
        source,
        sourceClient == null ? null : UnprovenSender.PREFIX + sourceClient,
        sourceKey,
        failure,
        sources,
        trace);
  }

  /** The headers of a run with that many answers. */
  Headers ofRun(int answers) {
    if (!isOnlySource()) {
      throw malformed("a run has other headers than its source");
    }
    return new Headers(null, null, null, NEVER, source, null, null, null, answers, null);
  }

  private static String unprovenClient(String name) {
    String unproven = UnprovenSender.PREFIX + name;
    if (unproven.getBytes(UTF_8).length > Cbor.MAX_KEY_BYTES) {
      throw malformed(
          "the header client has more than %d bytes"
              .formatted(Cbor.MAX_KEY_BYTES - UnprovenSender.PREFIX.length()));
    }
    return unproven;
  }
}
