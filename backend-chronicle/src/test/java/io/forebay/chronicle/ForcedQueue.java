/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;

import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A queue at level DISK, for tests of its forces. */
abstract class ForcedQueue {

  @TempDir Path data;
  final Semaphore forces = new Semaphore(0);
  Rig rig;
  ChronicleBackend backend;
  MessageQueue queue;

  @BeforeEach
  void open() {
    rig = new Rig(data);
    rig.options = Rig.options(Level.DISK);
    backend = rig.open();
    queue = backend.open(QUEUE, 1);
  }

  @AfterEach
  void close() {
    forces.release(1 << 20); // a force that still waits would keep a test that failed from ending
    backend.close();
  }
}
