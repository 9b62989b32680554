/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.EnumMap;
import java.util.Map;

/**
 * The counts of one service, of one collector or of all collectors, and its calls in progress.
 *
 * @param service its name
 * @param options the limits of its chunks
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
    ChunkOptions options,
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
    return chunks() == 0 ? Double.NaN : (double) sent / (chunks() * options.maxItems());
  }

  static ServiceFigures none(String service, ChunkOptions options) {
    return new ServiceFigures(service, options, 0, 0, 0, 0, Map.of(), 0, 0, 0, 0);
  }

  /** The sum with other figures of the same service. */
  ServiceFigures plus(ServiceFigures other) {
    Map<FlushReason, Long> sum = new EnumMap<>(FlushReason.class);
    sum.putAll(chunksByReason);
    other.chunksByReason.forEach((reason, chunks) -> sum.merge(reason, chunks, Long::sum));
    return new ServiceFigures(
        service,
        options,
        calls + other.calls,
        sent + other.sent,
        results + other.results,
        failures + other.failures,
        Map.copyOf(sum),
        timedOut + other.timedOut,
        late + other.late,
        pending + other.pending,
        inFlight + other.inFlight);
  }
}
