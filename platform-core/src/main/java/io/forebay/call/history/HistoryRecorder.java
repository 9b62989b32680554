/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.history;

import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborOutput;
import io.forebay.queue.time.AppendClock;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of the messages that a service receives carry their history: answers of another
 * service that already do, and a share of the others, chosen by their ids so that a message that is
 * received again after a crash gets the same choice. For the thread of a partition.
 */
public final class HistoryRecorder {

  /** Odd, with as many ones as zeros: 2^64 divided by the golden ratio. */
  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  private final byte[] service;
  private final AppendClock clock;
  private final boolean none;

  /** A message is chosen if its mixed id, an unsigned number, is not above this one. */
  private final long highest;

  private long lastPosition = -1;
  private long lastReceivedMicros;

  /**
   * @param service its name
   * @param oneIn the history of one in so many messages is recorded; 0: of none
   * @param clock the clock of the answers
   */
  public HistoryRecorder(String service, int oneIn, AppendClock clock) {
    this.service = CborOutput.encoded(out -> out.text(Cbor.TEXT, service));
    this.clock = clock;
    this.none = oneIn == 0;
    this.highest = none ? 0 : Long.divideUnsigned(-1, oneIn);
  }

  /** The name of the service, encoded. */
  public byte[] service() {
    return service;
  }

  /**
   * The history of a message that has just been received; runs for each one.
   *
   * @param before the history that it has
   * @param answer whether another service has answered with it, which then has decided
   * @return null if its answer does not carry a history
   */
  public @Nullable History received(
      @Nullable History before, boolean answer, long position, long idHigh, long idLow) {
    if (before != null) {
      return before.received(receivedMicros(position));
    }
    return answer || none || Long.compareUnsigned(mixed(idHigh, idLow), highest) > 0
        ? null
        : History.begun(receivedMicros(position));
  }

  private static long mixed(long idHigh, long idLow) {
    return (idHigh * MIX ^ idLow) * MIX;
  }

  /** If the message is tried again, the time of the first try. */
  private long receivedMicros(long position) {
    if (position != lastPosition) {
      lastPosition = position;
      lastReceivedMicros = clock.nanos() / 1_000;
    }
    return lastReceivedMicros;
  }
}
