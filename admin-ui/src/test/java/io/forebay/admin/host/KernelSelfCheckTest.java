/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.forebay.operations.SelfCheck.Harm;
import io.forebay.operations.SelfCheck.Result;
import io.forebay.operations.SelfCheck.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelSelfCheckTest {

  @TempDir private Path root;

  private List<Result> check(String maps, String files, String swapped, String hugePages)
      throws IOException {
    write("proc/sys/vm/max_map_count", maps);
    write(
        "proc/self/limits", "Max open files            %s    %s    files".formatted(files, files));
    write("proc/self/status", "VmRSS:\t  812 kB\nVmSwap:\t  %s kB".formatted(swapped));
    write("sys/kernel/mm/transparent_hugepage/enabled", hugePages);
    return new KernelSelfCheck(new KernelLimits(root)).run();
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text + "\n");
  }

  @Test
  void warnsOfSettingsThatStopOrDelayQueues() throws IOException {
    assertThat(check("65529", "8191", "2048", "[always] madvise never"))
        .extracting(Result::check, Result::state, Result::harm)
        .containsExactly(
            tuple("mapped files", State.WARN, Harm.OUTAGE),
            tuple("open files", State.WARN, Harm.OUTAGE),
            tuple("swap", State.WARN, Harm.DELAY),
            tuple("transparent huge pages", State.WARN, Harm.DELAY));
  }

  @Test
  void acceptsSufficientSettings() throws IOException {
    assertThat(check("65530", "8192", "0", "always [madvise] never"))
        .extracting(Result::state)
        .containsOnly(State.OK);
    assertThat(check("65530", "unlimited", "0", "always madvise [never]"))
        .extracting(Result::state)
        .containsOnly(State.OK);
  }

  @Test
  void doesNotKnowWhatItCannotRead() {
    assertThat(new KernelSelfCheck(new KernelLimits(root)).run())
        .hasSize(4)
        .extracting(Result::state)
        .containsOnly(State.UNKNOWN);
  }
}
