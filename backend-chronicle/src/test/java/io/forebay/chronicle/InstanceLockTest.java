/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.chronicle.place.InstanceLock;
import io.forebay.operations.StartRefused;
import io.forebay.queue.Level;
import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One process owns a data directory. */
final class InstanceLockTest {

  @TempDir Path data;

  /** Opens the directory, reports it, and stays until it is killed. */
  static final class Holder {
    public static void main(String[] arguments) throws Exception {
      try (ChronicleBackend backend =
          ChronicleBackend.open(Path.of(arguments[0]), Rig.options(Level.PROCESS))) {
        System.out.println("open " + backend.name());
        Thread.sleep(Duration.ofMinutes(5));
      } catch (IllegalStateException e) {
        System.out.println("refused " + e.getMessage());
      }
    }
  }

  private ChronicleBackend open() {
    return ChronicleBackend.open(data, Rig.options(Level.PROCESS));
  }

  @Test
  void aSecondProcessIsRefusedWithTheNameOfTheHolder() throws Exception {
    try (ChronicleBackend backend = open();
        ChildProcess second = ChildProcess.start(Holder.class, data)) {
      assertThat(second.await("refused"))
          .contains(data.toRealPath().toString())
          .contains("process " + ProcessHandle.current().pid() + " ")
          .contains("host")
          .contains("started 20");
      send(backend.open("works", 1), 0, 10);
    }
  }

  @Test
  void aSecondOpenInTheSameProcessIsRefusedAndTheFirstKeepsItsLock() throws Exception {
    Path sameByAnotherName = data.resolve("..").resolve(data.getFileName());
    try (ChronicleBackend backend = open()) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> ChronicleBackend.open(sameByAnotherName))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("process " + ProcessHandle.current().pid() + " ");
      }
      try (ChildProcess second = ChildProcess.start(Holder.class, data)) {
        second.await("refused");
      }
      send(backend.open("works", 1), 0, 10);
    }
    open().close();
  }

  @Test
  void theDirectoryIsFreeAtOnceWhenItsHolderIsKilled() throws Exception {
    try (ChildProcess holder = ChildProcess.start(Holder.class, data)) {
      holder.await("open");
      assertThatThrownBy(this::open)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("process " + holder.pid() + " ");
      holder.kill();
      open().close();
    }
  }

  @Test
  void anEmptyLockFileIsTakenOverAndAFileIsRefusedAsDataDirectory() throws IOException {
    Files.createFile(data.resolve(InstanceLock.FILE));
    open().close();
    Path file = Files.createFile(data.resolve("a-file"));
    assertThatThrownBy(() -> ChronicleBackend.open(file))
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("a-file");
  }
}
