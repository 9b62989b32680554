/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.capacity.DirtyMemory;
import io.forebay.capacity.Figure;
import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class KernelMemoryTest {

  @TempDir Path root;

  private void file(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  @Test
  void readsPagesOfTheKernelAndTheLeastLimitAboveTheProcess() throws IOException {
    file(
        "proc/vmstat",
        """
        nr_dirty 100
        nr_writeback 20
        nr_dirty_threshold 3000
        nr_dirty_background_threshold 1000
        nr_written 5
        """);
    file("proc/self/cgroup", "0::/outer/inner\n");
    file("sys/fs/cgroup/outer/inner/memory.max", "max\n");
    file("sys/fs/cgroup/outer/memory.max", "1000000\n");
    KernelMemory memory = new KernelMemory(root);
    memory.sample(Instant.EPOCH);
    DirtyMemory now = memory.history().now();
    assertThat(now.dirtyBytes()).isEqualTo(Figure.measured(120 * 4096L));
    assertThat(now.slowsAtBytes()).as("the limit is lower").isEqualTo(Figure.measured(1_000_000L));
  }

  @Test
  void figuresAreUnknownWithoutLinux() {
    KernelMemory memory = new KernelMemory(root);
    memory.sample(Instant.EPOCH);
    assertThat(memory.history().now().dirtyBytes())
        .isEqualTo(Figure.unknown("host limit not visible"));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void readsThisMachine() throws Exception {
    KernelMemory memory = new KernelMemory(Path.of("/"));
    memory.sample(Instant.now());
    assertThat(memory.history().now().dirtyBytes().known()).isPresent();
    assertThat(KernelMemory.pageBytes(Path.of("/proc/self/auxv")))
        .isEqualTo(Long.parseLong(ChildProcess.run("getconf", "PAGESIZE")));
  }
}
