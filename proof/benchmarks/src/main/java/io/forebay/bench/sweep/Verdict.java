/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.sweep;

import java.util.List;

/**
 * What a sweep found. A rate of 0 means that no rate of the sweep qualified.
 *
 * @param typicalNanos the typical latency at a low rate: the median of the medians at the three
 *     lowest rates at which the system keeps up
 * @param highestPerSecond the most that was ever completed per second
 * @param kneePerSecond the highest rate at which the system keeps up; above, latencies grow as long
 *     as the load lasts
 * @param sustainablePerSecond the highest rate at which the system keeps up, 99 % of the messages
 *     take at most 4 times and 99.9 % at most 10 times as long as is typical
 * @param points by rate, ascending; a rate may have been measured up to three times
 */
public record Verdict(
    long typicalNanos,
    long highestPerSecond,
    long kneePerSecond,
    long sustainablePerSecond,
    List<Point> points) {}
