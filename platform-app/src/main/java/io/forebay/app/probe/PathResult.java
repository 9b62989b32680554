/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.capacity.sweep.Point;
import io.forebay.capacity.sweep.Verdict;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What a path sustains.
 *
 * @param what what a message passes through, as words
 * @param inBytes the bytes of a message in the in-queue; empty if unknown
 * @param outBytes the bytes of its answer
 * @param free the bytes that can be written until messages are refused; empty if unknown
 */
record PathResult(
    ProbeRequest.Kind kind,
    String what,
    Verdict verdict,
    OptionalDouble inBytes,
    OptionalDouble outBytes,
    OptionalLong free) {

  private static final double DAY_SECONDS = 86_400;

  /** The bytes that the queues take in a day at the sustainable rate. */
  OptionalDouble bytesPerDay() {
    return inBytes.isEmpty() || verdict.sustainablePerSecond() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(verdict.bytesPerDay(inBytes.getAsDouble() + outBytes.orElse(0)));
  }

  /** The seconds until the disk is full at the sustainable rate, if nothing is deleted. */
  OptionalDouble secondsUntilFull() {
    return bytesPerDay().isEmpty() || free.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(free.getAsLong() / bytesPerDay().getAsDouble() * DAY_SECONDS);
  }

  /** For a file; times in microseconds, and no value for what is unknown. */
  Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("name", kind.toString());
    figures.put("what", what);
    figures.put("sustainablePerSecond", verdict.sustainablePerSecond());
    figures.put("kneePerSecond", verdict.kneePerSecond());
    figures.put("highestPerSecond", verdict.highestPerSecond());
    figures.put("limited", verdict.isLimited());
    figures.put("typicalMicros", verdict.typicalNanos() / 1e3);
    inBytes.ifPresent(it -> figures.put("inBytes", it));
    outBytes.ifPresent(it -> figures.put("outBytes", it));
    bytesPerDay().ifPresent(it -> figures.put("bytesPerDay", it));
    free.ifPresent(it -> figures.put("freeBytes", it));
    secondsUntilFull().ifPresent(it -> figures.put("secondsUntilFull", it));
    figures.put("rates", verdict.points().stream().map(PathResult::figures).toList());
    return figures;
  }

  static Map<String, Object> figures(Point point) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("perSecond", point.perSecond());
    figures.put("completedPerSecond", point.completedPerSecond());
    figures.put("messages", point.messages());
    figures.put("p50Micros", point.typical() / 1e3);
    figures.put("p90Micros", point.p90() / 1e3);
    figures.put("p99Micros", point.p99() / 1e3);
    figures.put("p99.9Micros", point.p999() / 1e3);
    figures.put("p99.99Micros", point.p9999() / 1e3);
    figures.put("worstMicros", point.worst() / 1e3);
    figures.put("keepsUp", point.keepsUp());
    return figures;
  }
}
