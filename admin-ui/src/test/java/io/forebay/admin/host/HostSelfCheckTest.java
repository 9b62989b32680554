/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.operations.SelfCheck;
import io.forebay.operations.SelfCheck.Harm;
import io.forebay.operations.SelfCheck.State;
import io.forebay.operations.Services;
import io.forebay.queue.Storage;
import io.forebay.testing.SmallDisk;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checks of a data directory whose disk another program fills. */
class HostSelfCheckTest {

  private static final long MIB = 1L << 20;

  @TempDir private Path directory;

  @Test
  void aFullDiskIsNoBrokenOneAndIsCheckedAgain() throws Exception {
    try (SmallDisk small = SmallDisk.mount(directory.resolve("disk"), 16 * MIB)) {
      Path data = Files.createDirectory(small.directory().resolve("data"));
      FileStore store = Files.getFileStore(data);
      VolumeWatch watch =
          new VolumeWatch(() ->
              new Storage(Instant.now(), data, store, 4 * MIB, Duration.ofHours(1), List.of()));
      try (SharedHost host =
          new SharedHost(
              List.of(watch),
              new KernelMemory(directory),
              new Services(List.of(), null),
              Map::of)) {
        HostSelfCheck checks = new HostSelfCheck(host, data, InstantSource.system());
        Path ballast = small.directory().resolve("ballast");
        fill(ballast);
        host.sample(Instant.now());
        assertThat(find(checks, "disk force"))
            .isEqualTo(
                new SelfCheck.Result(
                    "disk force",
                    State.FAILED,
                    "not measured: no space is left in %s. Messages are refused; none that was acknowledged is lost"
                        .formatted(data),
                    Harm.OUTAGE,
                    "Free or add space. The check then runs again."));
        assertThat(find(checks, "free disk").text())
            .isEqualTo("messages are refused; free at least 4.5 MiB (reserve 4 MiB)");

        Files.delete(ballast);
        host.sample(Instant.now());
        assertThat(find(checks, "disk force").text()).endsWith(" ms for a page");
        assertThat(find(checks, "free disk").text())
            .isEqualTo("12 MiB until messages are refused (reserve 4 MiB)");
      }
    }
  }

  private static SelfCheck.Result find(HostSelfCheck checks, String name) {
    return checks.run().stream().filter(it -> it.check().equals(name)).findFirst().orElseThrow();
  }

  private static void fill(Path file) {
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(new byte[4096]);
      }
    } catch (IOException e) {
      if (!"No space left on device".equals(e.getMessage())) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
