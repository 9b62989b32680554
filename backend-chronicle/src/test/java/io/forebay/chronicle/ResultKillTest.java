/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.NoEvents;
import io.forebay.call.PendingResult;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.service.progress.HostedProgress;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed while it calls its service. Each call has its result afterwards. */
final class ResultKillTest {

  private static final int KILLS = Integer.getInteger("forebay.kills", 4);

  interface Squares {
    CompletableFuture<Square> square(long number);
  }

  record Square(long number, long result) {}

  @TempDir Path data;

  /** A service of two partitions on files. */
  private static final class Shop implements AutoCloseable {

    private final ChronicleBackend backend;
    private final DefinedService<Squares, NoEvents> service;

    Shop(Path data) {
      backend = ChronicleBackend.open(data);
      service =
          DefinedService.open(
              backend,
              ServiceDefinition.of(
                      "squares",
                      Squares.class,
                      () ->
                          number ->
                              CompletableFuture.completedFuture(
                                  new Square(number, number * number)))
                  .withPartitions(2),
              HostedProgress.none());
    }

    @Override
    public void close() {
      service.close();
      backend.close();
    }
  }

  /** Calls without end and reports each call. */
  static final class Calling {
    public static void main(String[] arguments) throws Exception {
      Shop shop = new Shop(Path.of(arguments[0]));
      shop.service.start();
      for (long number = 0; ; number++) {
        CompletableFuture<Square> square = shop.service.calls().square(number);
        System.out.println("called " + number + " " + PendingResult.id(square));
        if (number % 100 == 0) {
          square.get();
        }
      }
    }
  }

  @Test
  void everyCallHasItsResultAfterAKill() throws Exception {
    survive(1);
  }

  @Tag("proof")
  @Test
  void everyCallHasItsResultAfterKills() throws Exception {
    survive(KILLS);
  }

  private void survive(int kills) throws Exception {
    Random random = new Random(7);
    Map<UUID, Long> called = new HashMap<>();
    for (int kill = 0; kill < kills; kill++) {
      try (ChildProcess child = ChildProcess.start(Calling.class, data.resolve("d"))) {
        child.await("called 10 ");
        child.endsWithin(Duration.ofMillis(random.nextInt(500)));
        child.kill();
        for (String line : child.lines()) {
          String[] words = line.split(" ");
          if (words.length == 3 && words[2].length() == 36) {
            called.put(UUID.fromString(words[2]), Long.valueOf(words[1]));
          }
        }
      }
    }
    assertThat(called).hasSizeGreaterThan(kills * 10);
    try (Shop shop = new Shop(data.resolve("d"))) {
      shop.service.start();
      shop.service
          .results(called.keySet(), Square.class)
          .forEach((id, result) -> {
            long number = called.get(id);
            assertThat(result)
                .succeedsWithin(Duration.ofSeconds(30))
                .isEqualTo(new Square(number, number * number));
          });
    }
  }
}
