/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a replay refuses. */
class ReplayTest {

  @TempDir private Path directory;

  private void mustBeNew(Path into) {
    replay("--queue=main.in", "--into=" + into).mustBeNew(directory.resolve("data"));
  }

  @Test
  void theTargetIsANewDirectoryApartFromThatOfTheService() throws IOException {
    assertThatCode(() -> mustBeNew(directory.resolve("new"))).doesNotThrowAnyException();
    Path used = Files.createDirectory(directory.resolve("used"));
    assertThatCode(() -> mustBeNew(used)).doesNotThrowAnyException();
    Files.createFile(used.resolve("a"));
    assertThatThrownBy(() -> mustBeNew(used)).hasMessageContaining("is not empty");
    for (Path into :
        List.of(
            directory,
            directory.resolve("data"),
            directory.resolve("data/new"),
            directory.resolve("new/../data/new"))) {
      assertThatThrownBy(() -> mustBeNew(into))
          .isInstanceOf(WrongUsage.class)
          .hasMessageContaining("the data directory of the service, or is in it");
    }
  }

  @Test
  void theArgumentsNameAnInQueueAndATarget() {
    assertThatThrownBy(() -> replay("--into=x")).hasMessageContaining("an in-queue");
    assertThatThrownBy(() -> replay("--queue=main.out", "--into=x"))
        .hasMessageContaining("an in-queue");
    assertThatThrownBy(() -> replay("--queue=main.in")).hasMessageContaining("--into");
    assertThatCode(() -> replay("--queue=main.in", "--into=x", "--from=1"))
        .doesNotThrowAnyException();
  }

  private static Replay replay(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "replay";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return new Replay(Request.of(List.of(all)));
  }
}
