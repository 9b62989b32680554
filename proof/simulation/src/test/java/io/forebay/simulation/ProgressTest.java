/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgressTest {

  private static final String RUN = "seeds from 1: 200, 2 processes, commit a";

  @TempDir Path directory;
  private Progress progress;

  @BeforeEach
  void aRunWasStopped() throws Exception {
    progress = new Progress(directory.resolve("progress"));
    progress.begin(RUN);
    progress.add(Progress.upTo(40, 20, 0));
    progress.add(Progress.failed(42, List.of("lost: a statement", "no result:\n of another")));
    progress.add(Progress.upTo(110, 20, 0));
    progress.add(Progress.upTo(50, 20, 1));
  }

  @Test
  void eachProcessContinuesBehindItsLastSeed() throws Exception {
    progress.begin(RUN);
    assertThat(progress.next(1, 100)).isEqualTo(51);
    assertThat(progress.next(101, 100)).isEqualTo(111);
  }

  @Test
  void violationsOfEarlierPartsStay() throws Exception {
    progress.begin(RUN);
    assertThat(progress.failed()).hasSize(1);
    assertThat(Progress.seed(progress.failed().getFirst())).isEqualTo(42);
  }

  @Test
  void anotherRunBeginsAnew() throws Exception {
    progress.begin("seeds from 1: 200, 2 processes, commit b");
    assertThat(progress.next(1, 100)).isEqualTo(1);
    assertThat(progress.failed()).isEmpty();
  }

  @Test
  void aRunThatIsOverHasNothingLeft() throws Exception {
    progress.add(Progress.upTo(100, 20, 1));
    assertThat(progress.next(1, 100)).isEqualTo(101);
  }
}
