/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.Map;

/**
 * The counts of one service since its collector was made, and what is under way, at one moment.
 *
 * @param service its name
 * @param maxItems how many calls a chunk may hold
 * @param calls the calls that were made
 * @param sent the calls that left in chunks; the others wait or were withdrawn
 * @param results the calls that returned a result
 * @param failures the calls that ended in any other way
 * @param chunksByReason the chunks that left, without the reasons that none had; unmodifiable
 * @param timedOut the chunks that were not answered in time
 * @param late the chunks that were answered when nobody waited for them any more
 * @param pending the calls that wait to leave
 * @param inFlight the chunks that left and are not answered
 */
public record ServiceFigures(
    String service,
    int maxItems,
    long calls,
    long sent,
    long results,
    long failures,
    Map<FlushReason, Long> chunksByReason,
    long timedOut,
    long late,
    int pending,
    int inFlight) {

  /** The chunks that left. */
  public long chunks() {
    return chunksByReason.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The chunks that left for a reason. */
  public long chunks(FlushReason reason) {
    return chunksByReason.getOrDefault(reason, 0L);
  }

  /** How full chunks were when they left, from 0 to 1; NaN if none left. */
  public double fillRatio() {
    long chunks = chunks();
    return chunks == 0 ? Double.NaN : (double) sent / chunks / maxItems;
  }
}
