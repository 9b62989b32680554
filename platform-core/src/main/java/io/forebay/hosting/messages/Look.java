/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a search has found in a partition.
 *
 * @param found in the order of the search
 * @param begun where it began: between the message at this position and the one before
 * @param reached where it ended: between the message at this position and the one before
 * @param hasMore whether there are messages beyond its end
 * @param hasOlder whether there are messages older than those it looked at
 * @param time of the last message that it looked at; null if there was none
 */
record Look(
    List<Found> found,
    long begun,
    long reached,
    boolean hasMore,
    boolean hasOlder,
    @Nullable Instant time) {

  /**
   * @param time of the message; if it cannot be decoded, of one nearby
   */
  record Found(long position, Instant time, Map<String, Object> fields) {}
}
