/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.Arrays;
import java.util.List;

/**
 * Ways to handle a POST with an order, all in the same process. The requests of the door take the
 * service's shortcut past the filter chain and the dispatcher, as they do in production.
 */
enum IngestContender {
  /** Inserts and commits, then answers. The better one of its two pools is determined first. */
  DIRECT_INSERT("direct-insert", List.of("/bench/direct/10", "/bench/direct/20"), true),
  /** The door: answers 202 when the order is accepted at level disk. */
  FOREBAY_QUEUED("forebay-queued", List.of("/api/v1/statements/orders.insert"), true),
  /** The door: answers when the order has been performed. */
  FOREBAY_WAIT("forebay-wait", List.of("/api/v1/statements/orders.insert?wait=10s"), true),
  /** The door: four streams of lines, acknowledged in groups at level disk. */
  FOREBAY_STREAM(
      "forebay-stream", List.of(StreamLoad.PREFIX + "/api/v1/statements/orders.insert"), true),
  /**
   * Answers when the order is in a queue in memory, from which a thread inserts it; a kill loses
   * what is there.
   */
  IN_MEMORY("in-memory", List.of("/bench/memory"), true),
  /** Reads the body and answers. */
  EMPTY_HANDLER("empty-handler", List.of("/bench/empty"), false);

  private final String title;
  private final List<String> paths;
  private final boolean inserts;

  IngestContender(String title, List<String> paths, boolean inserts) {
    this.title = title;
    this.paths = paths;
    this.inserts = inserts;
  }

  String title() {
    return title;
  }

  /** The paths for orders; the fastest of them is measured. */
  List<String> paths() {
    return paths;
  }

  /** Whether it acknowledges an order that is not a row yet. */
  boolean queues() {
    return this == FOREBAY_QUEUED || this == IN_MEMORY;
  }

  /** Whether each acknowledged request becomes a row. */
  boolean inserts() {
    return inserts;
  }

  /**
   * @throws UsageError if there is no contender with this name
   */
  static IngestContender named(String name) {
    return Arrays.stream(values())
        .filter(it -> it.title.equals(name))
        .findFirst()
        .orElseThrow(() ->
            new UsageError(
                "contender '%s' does not exist (known: %s)"
                    .formatted(
                        name, Arrays.stream(values()).map(IngestContender::title).toList())));
  }
}
