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
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsumersTest {

  private static final Instant NOW = Instant.EPOCH;

  @TempDir Path directory;

  @Test
  void retriesAFailedSaveAtTheNextAttempt() throws IOException {
    Consumers consumers = new Consumers(directory, 1, NOW);
    consumers.subscribe("service", _ -> 0, NOW);
    consumers.passed("service", 0, 70);
    Path obstacle = directory.resolve(Consumers.FILE + ".new");
    Files.createDirectory(obstacle);
    Files.createFile(obstacle.resolve("file"));
    assertThatThrownBy(() -> consumers.save(NOW)).isInstanceOf(IOException.class);
    Files.delete(obstacle.resolve("file"));
    Files.delete(obstacle);
    consumers.save(NOW);
    assertThat(new Consumers(directory, 1, NOW).passed(0)).containsEntry("service", 70L);
  }

  @Test
  void consumersMoveBackToTheEndOfAPartitionThatLostMessages() throws IOException {
    Consumers consumers = new Consumers(directory, 2, NOW);
    consumers.subscribe("service", _ -> 0, NOW);
    consumers.passed("service", 0, 70);
    consumers.passed("service", 1, 70);
    consumers.endsAt(0, 50);
    consumers.endsAt(1, 90);
    assertThat(consumers.passedByAll(0)).hasValue(50);
    assertThat(consumers.passedByAll(1)).hasValue(70);
  }

  @Test
  void afterALongTimeAwayAConsumerMaySubscribeWhileTheProcessStarts() throws IOException {
    Duration kept = Duration.ofHours(72);
    Instant back = NOW.plus(kept).plusSeconds(3_600);
    Consumers before = new Consumers(directory, 1, NOW);
    before.subscribe("stage", _ -> 0, NOW);
    before.save(NOW);

    Consumers consumers = new Consumers(directory, 1, back);
    consumers.dropUnseen(kept, back.plusSeconds(599));
    assertThat(consumers.passedByAll(0)).as("it keeps what waits for it").hasValue(0);
    consumers.dropUnseen(kept, back.plusSeconds(601));
    assertThat(consumers.passedByAll(0)).isEmpty();
  }
}
