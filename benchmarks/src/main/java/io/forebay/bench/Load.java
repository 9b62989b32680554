/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.util.Map;

/** Sends requests over many keep-alive connections at once, from a process of its own. */
interface Load extends AutoCloseable {

  /** What generates it, for the figures. */
  Map<String, Object> describe();

  /**
   * Sends requests for that long and waits for the last answers.
   *
   * @throws IllegalStateException if the generator failed
   */
  LoadResult run(int port, int connections, double seconds, LoadRequest request)
      throws IOException, InterruptedException;

  @Override
  void close();

  /** The generator of that name, or without one wrk where it is installed. */
  static Load open(String name, Testbed testbed) throws IOException {
    return switch (name) {
      case "own" -> OwnLoad.start(testbed);
      case "wrk" -> new WrkLoad(testbed);
      default -> WrkLoad.isInstalled() ? new WrkLoad(testbed) : OwnLoad.start(testbed);
    };
  }
}
