/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.Map;

/**
 * The counts of one service since its collector was created, and its calls in progress.
 *
 * @param service its name
 * @param maxItems the most calls of a chunk
 * @param calls the calls that were made
 * @param sent the calls that were sent; the others wait or were withdrawn
 * @param results the calls that returned a result
 * @param failures the calls that ended in any other way
 * @param chunksByReason the chunks that were sent, by reason; reasons without a chunk are missing;
 *     unmodifiable
 * @param timedOut the chunks that timed out
 * @param late the chunks that were answered after no caller waited for them any more
 * @param pending the calls that wait to be sent
 * @param inFlight the chunks that were sent and not yet answered
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

  /** How many chunks were sent. */
  public long chunks() {
    return chunksByReason.values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many chunks were sent for a reason. */
  public long chunks(FlushReason reason) {
    return chunksByReason.getOrDefault(reason, 0L);
  }

  /** How full chunks were on average when they were sent, from 0 to 1; NaN if none was sent. */
  public double fillRatio() {
    long chunks = chunks();
    return chunks == 0 ? Double.NaN : (double) sent / chunks / maxItems;
  }
}
