/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Writer;
import io.forebay.hosting.SquarePipeline.Squares;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.progress.HostedProgress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class DrainTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final CountDownLatch free = new CountDownLatch(1);

  private ServiceDefinition<Squares, Squares> service(String name) {
    return ServiceDefinition.of(
        name,
        Squares.class,
        Squares.class,
        answers ->
            square -> {
              try {
                free.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              answers.square(square);
            });
  }

  @Test
  void aServiceIsDrainedOnceAllItsMessagesArePerformed() throws Exception {
    ServiceDefinition<Squares, Squares> squares = service("squares");
    try (MemoryBackend backend = MemoryBackend.open();
        DefinedService<Squares, Squares> first =
            DefinedService.open(backend, squares, HostedProgress.none());
        DefinedService<Squares, Squares> second =
            DefinedService.open(
                backend, service("copies").from(squares), first, HostedProgress.none());
        AutoCloseable _ = free::countDown) {
      first.start();
      try (Writer<Squares> writer = first.createWriter()) {
        writer.calls().square(4);
        writer.await(SOON);
      }
      assertThat(first.drain(Duration.ZERO)).isFalse();
      assertThat(second.drain(Duration.ZERO)).as("the stage before is not").isFalse();
      free.countDown();
      assertThat(second.drain(SOON)).isTrue();
      assertThat(second.view().counts().performed()).isEqualTo(1);
      assertThat(first.drain(Duration.ZERO)).isTrue();
    }
  }
}
