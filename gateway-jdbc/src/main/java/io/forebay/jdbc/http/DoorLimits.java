/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import java.time.Duration;

/**
 * What the requests of all callers may take of the process.
 *
 * @param acceptTimeout how long a request waits until its statement is stored safely; after that
 *     its outcome is unknown
 * @param longestWait how long a request may wait for its result
 * @param waiting how many requests may wait for results at the same time
 * @param streams how many streams may be sent at the same time
 * @param bodyBytes the most memory of request bodies above 8 KB, and at least one body
 * @param resultBytes the most memory of results above 8 KB that are being sent, or of one of them
 */
record DoorLimits(
    Duration acceptTimeout,
    Duration longestWait,
    int waiting,
    int streams,
    long bodyBytes,
    long resultBytes) {

  private static final int HEAP_PER_WAITING = 512 << 10;
  private static final int HEAP_PER_STREAM = 8 << 20;

  /** Fewer than the connections of a server, so that others are answered meanwhile. */
  private static final int MOST_WAITING = 4_096;

  private static final int MOST_STREAMS = 1_024;

  /** The limits of a process with this maximum size of its heap. */
  static DoorLimits of(long heapBytes) {
    return new DoorLimits(
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        (int) Math.min(MOST_WAITING, heapBytes / HEAP_PER_WAITING),
        (int) Math.min(MOST_STREAMS, Math.ceilDiv(heapBytes, HEAP_PER_STREAM)),
        heapBytes / 8,
        heapBytes / 8);
  }
}
