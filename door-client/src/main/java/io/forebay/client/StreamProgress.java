/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * How far the lines of a stream are performed.
 *
 * @param done how many took effect
 * @param failed how many failed
 * @param repeated how many came again, and were not performed again
 * @param cancelled its lines are not performed any more; each fails with kind CANCELLED
 */
public record StreamProgress(
    String stream,
    String gateway,
    long done,
    long failed,
    long repeated,
    boolean cancelled,
    List<PartitionProgress> partitions) {

  /**
   * @param line the last line that was performed in this partition
   */
  public record PartitionProgress(int partition, long line) {}

  /** How many lines took effect or failed. */
  public long performed() {
    return done + failed;
  }

  static StreamProgress of(JsonNode document) {
    return new StreamProgress(
        document.path("stream").asString(""),
        document.path("gateway").asString(""),
        document.path("done").asLong(),
        document.path("failed").asLong(),
        document.path("repeated").asLong(),
        document.path("cancelled").asBoolean(false),
        document
            .path("partitions")
            .valueStream()
            .map(each ->
                new PartitionProgress(each.path("partition").asInt(), each.path("line").asLong()))
            .toList());
  }
}
