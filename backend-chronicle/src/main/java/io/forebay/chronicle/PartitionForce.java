/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.CycleFiles;
import io.forebay.chronicle.file.Host;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Forces the files of one partition to disk through file descriptors of its own. Chronicle's {@code
 * sync()} swallows errors; a force on another descriptor of the same file also writes the mapped
 * pages, and throws. For one thread.
 */
final class PartitionForce implements AutoCloseable {

  private final PartitionLog log;
  private final Host.Force force;

  /** The oldest file whose content may not be on disk yet. */
  private int oldest;

  private int openCycle = CycleFiles.NO_CYCLE;
  private @Nullable FileChannel open;

  PartitionForce(PartitionLog log, Host.Force force) {
    this.log = log;
    this.force = force;
    CycleFiles files = log.store().files();
    oldest = files.isEmpty() ? CycleFiles.NO_CYCLE : files.cycleWith(log.marked());
  }

  /**
   * Forces everything appended before the call.
   *
   * @param current whether to force the current file too
   */
  void force(boolean current) throws IOException {
    long end = log.stored();
    int newest = log.cycle();
    if (newest == CycleFiles.NO_CYCLE || end <= log.forced() || (!current && newest == oldest)) {
      return;
    }
    for (int cycle : log.store().files().cycles(oldest - 1, current ? newest : newest - 1)) {
      try {
        force(cycle);
      } catch (NoSuchFileException e) {
        if (log.store().files().contains(cycle)) {
          throw e;
        }
        // Deleted meanwhile: all consumers had passed it.
      }
    }
    log.forced(current ? end : log.store().files().firstOf(newest));
    oldest = newest;
  }

  private void force(int cycle) throws IOException {
    FileChannel channel = open;
    if (channel == null || cycle != openCycle) {
      close();
      channel = FileChannel.open(log.store().files().path(cycle), StandardOpenOption.WRITE);
      open = channel;
      openCycle = cycle;
      force.force(channel, true);
      try (FileChannel directory =
          FileChannel.open(log.store().directory(), StandardOpenOption.READ)) {
        force.force(directory, true);
      }
    } else {
      force.force(channel, false);
    }
  }

  @Override
  public void close() throws IOException {
    FileChannel channel = open;
    open = null;
    openCycle = CycleFiles.NO_CYCLE;
    if (channel != null) {
      channel.close();
    }
  }
}
