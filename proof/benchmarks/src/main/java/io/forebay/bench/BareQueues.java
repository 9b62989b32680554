/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import net.openhft.chronicle.queue.ChronicleQueue;

/** A contender with an in-queue and an out-queue of Chronicle Queue, without Forebay. */
abstract class BareQueues implements Contender.Performing {

  protected static final int MOST_RESULTS_PER_POLL = 1_000;

  protected final ChronicleQueue in;
  protected final ChronicleQueue out;
  protected final TargetTables tables;
  private final List<Path> folders;

  /**
   * @param source the source id of the in-queue; 0 if messages carry none
   */
  protected BareQueues(Path folder, TargetTables tables, int source) {
    this.tables = tables;
    folders = List.of(folder.resolve("in"), folder.resolve("out"));
    in = ChronicleQueue.singleBuilder(folders.get(0)).sourceId(source).build();
    out = ChronicleQueue.singleBuilder(folders.get(1)).sourceId(2 * source).build();
  }

  /** Stops what performs. */
  protected abstract void stop() throws SQLException;

  @Override
  public final TargetTables effects() {
    return tables;
  }

  @Override
  public final List<Path> queues() {
    return folders;
  }

  @Override
  public final void close() throws SQLException {
    stop();
    in.close();
    out.close();
    tables.shutdown();
  }
}
