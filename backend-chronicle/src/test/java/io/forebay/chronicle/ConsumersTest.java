/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsumersTest {

  private static final Instant NOW = Instant.EPOCH;

  @TempDir Path directory;

  @Test
  void retriesAFailedSaveAtTheNextAttempt() throws IOException {
    Consumers consumers = new Consumers(directory, 1);
    consumers.subscribe("service", _ -> 0, NOW);
    consumers.passed("service", 0, 70);
    Path obstacle = directory.resolve(Consumers.FILE + ".next");
    Files.createDirectory(obstacle);
    Files.createFile(obstacle.resolve("file"));
    assertThatThrownBy(() -> consumers.save(NOW)).isInstanceOf(IOException.class);
    Files.delete(obstacle.resolve("file"));
    Files.delete(obstacle);
    consumers.save(NOW);
    assertThat(new Consumers(directory, 1).passed(0)).containsEntry("service", 70L);
  }

  @Test
  void consumersMoveBackToTheEndOfAPartitionThatLostMessages() throws IOException {
    Consumers consumers = new Consumers(directory, 2);
    consumers.subscribe("service", _ -> 0, NOW);
    consumers.passed("service", 0, 70);
    consumers.passed("service", 1, 70);
    consumers.endsAt(0, 50);
    consumers.endsAt(1, 90);
    assertThat(consumers.passedByAll(0)).hasValue(50);
    assertThat(consumers.passedByAll(1)).hasValue(70);
  }
}
