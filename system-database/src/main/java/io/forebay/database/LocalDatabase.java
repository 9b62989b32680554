/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueBackend;

/** A database that only this process can reach. */
public final class LocalDatabase {

  private LocalDatabase() {}

  /**
   * @throws StartRefused if other instances may take over partitions whose progress is in a
   *     database that only this process can reach
   */
  public static void mustServe(QueueBackend queues, String database) {
    if (queues.isShared()) {
      throw new StartRefused(
          "Backend %s shares its queues with other instances, but only this process can reach %s;"
                  .formatted(queues.name(), database)
              + " give each gateway a database that all instances reach, with datasource and owner"
              + " (docs/start.md), or use another backend");
    }
  }
}
