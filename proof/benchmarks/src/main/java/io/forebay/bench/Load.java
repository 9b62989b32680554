/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.util.Map;

/** Sends requests over many concurrent keep-alive connections, from its own process. */
interface Load extends AutoCloseable {

  /** The name and settings of the generator, for the figures. */
  Map<String, Object> describe();

  /**
   * Sends requests for the given time and waits for the last answers.
   *
   * @throws IllegalStateException if the generator failed
   */
  LoadResult run(int port, int connections, double seconds, LoadRequest request)
      throws IOException, InterruptedException;

  @Override
  void close();

  /** The generator with this name; by default wrk if it is installed. */
  static Load open(String name, Testbed testbed) throws IOException {
    return switch (name) {
      case "own" -> OwnLoad.start(testbed);
      case "wrk" -> new WrkLoad(testbed);
      default -> WrkLoad.isInstalled() ? new WrkLoad(testbed) : OwnLoad.start(testbed);
    };
  }
}
