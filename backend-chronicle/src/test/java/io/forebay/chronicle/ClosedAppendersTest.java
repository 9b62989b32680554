/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.ManyAppenders;
import io.forebay.queue.MessageQueue;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClosedAppendersTest {

  @TempDir Path data;

  /** A process that opens, uses and closes appenders. */
  static final class Program {
    public static void main(String[] arguments) throws Exception {
      try (ChronicleBackend backend = ChronicleBackend.open(Path.of(arguments[0]));
          MessageQueue queue = backend.open(Rig.QUEUE, 1)) {
        ManyAppenders.use(queue, Integer.parseInt(arguments[1]));
      }
    }
  }

  @Tag("proof")
  @Test
  void aMillionTakeNoMemory() {
    ChildProcess.run(
        ChildProcess.java(
            ChildProcess.options("-Xmx256m", "-XX:+ExitOnOutOfMemoryError"),
            Program.class,
            data,
            1_000_000));
  }
}
