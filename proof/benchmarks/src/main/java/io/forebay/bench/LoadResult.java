/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * The result of a period of load.
 *
 * @param acknowledged answers with a status 2xx
 * @param refused answers with another status
 * @param lost requests whose connection ended before an answer; their effect is unknown
 * @param seconds from the first request to the last answer
 * @param cpuSeconds of the generator
 * @param stdevMillis the standard deviation of the latencies
 */
record LoadResult(
    long acknowledged,
    long refused,
    long lost,
    double seconds,
    double cpuSeconds,
    double meanMillis,
    double stdevMillis,
    double p50Millis,
    double p90Millis,
    double p99Millis,
    double p999Millis,
    double maxMillis) {

  private static final String PREFIX = "load ";

  /**
   * @param latencies in nanoseconds
   */
  static LoadResult of(
      long acknowledged,
      long refused,
      long lost,
      double seconds,
      double cpuSeconds,
      Histogram latencies) {
    return new LoadResult(
        acknowledged,
        refused,
        lost,
        seconds,
        cpuSeconds,
        latencies.getMean() / 1e6,
        latencies.getStdDeviation() / 1e6,
        latencies.getValueAtPercentile(50) / 1e6,
        latencies.getValueAtPercentile(90) / 1e6,
        latencies.getValueAtPercentile(99) / 1e6,
        latencies.getValueAtPercentile(99.9) / 1e6,
        latencies.getMaxValue() / 1e6);
  }

  double requestsPerSecond() {
    return acknowledged / seconds;
  }

  /** The result as one line, for {@link #parse}. */
  String line() {
    return String.format(
        Locale.ROOT,
        PREFIX
            + "acknowledged=%d refused=%d lost=%d seconds=%.6f cpu=%.3f mean=%.4f stdev=%.4f p50=%.4f p90=%.4f p99=%.4f p999=%.4f max=%.4f",
        acknowledged,
        refused,
        lost,
        seconds,
        cpuSeconds,
        meanMillis,
        stdevMillis,
        p50Millis,
        p90Millis,
        p99Millis,
        p999Millis,
        maxMillis);
  }

  static boolean isLine(String line) {
    return line.startsWith(PREFIX);
  }

  static LoadResult parse(String line) {
    Map<String, Double> values =
        Arrays.stream(line.substring(PREFIX.length()).split(" "))
            .map(it -> it.split("="))
            .collect(Collectors.toMap(it -> it[0], it -> Double.valueOf(it[1])));
    return new LoadResult(
        values.get("acknowledged").longValue(),
        values.get("refused").longValue(),
        values.get("lost").longValue(),
        values.get("seconds"),
        values.get("cpu"),
        values.get("mean"),
        values.get("stdev"),
        values.get("p50"),
        values.get("p90"),
        values.get("p99"),
        values.get("p999"),
        values.get("max"));
  }

  LoadResult withCpuSeconds(double measured) {
    return new LoadResult(
        acknowledged,
        refused,
        lost,
        seconds,
        measured,
        meanMillis,
        stdevMillis,
        p50Millis,
        p90Millis,
        p99Millis,
        p999Millis,
        maxMillis);
  }
}
