/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import java.io.File;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The first process is killed (SIGKILL) while it creates the embedded database, its tables and the
 * queues. The next process uses what exists and creates the rest.
 */
@Tag("proof")
class FirstStartIT {

  private static final int KILLS = Integer.getInteger("forebay.fault.first-starts", 2);

  /** The approximate size of the database when its passwords and properties are written … */
  private static final long FIRST_BYTES = 300;

  /** … and its size when the load begins. */
  private static final long READY_BYTES = 9_000;

  @Test
  void incompleteFilesAreRecreated() {
    for (int kill = 1; kill <= KILLS; kill++) {
      try (FaultRun run = FaultRun.embedded("first-start")) {
        System.out.println(run.context());
        RunningService first = run.start();
        long bytes = run.random().nextLong(kill % 2 == 0 ? READY_BYTES : FIRST_BYTES);
        while (bytesIn(Path.of(run.database())) < bytes) {
          Thread.onSpinWait();
        }
        first.process().kill();

        RunningService second = run.start();
        second.awaitReady();
        second.settle();
        second.drain();
        run.check();
      }
    }
  }

  private static long bytesIn(Path directory) {
    File[] files = directory.toFile().listFiles();
    long bytes = 0;
    for (File file : files == null ? new File[0] : files) {
      bytes += file.isDirectory() ? bytesIn(file.toPath()) : file.length();
    }
    return bytes;
  }
}
