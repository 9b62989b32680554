/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GracefulStopTest {

  /** The protocol of the test service. */
  public interface Greeting {
    void greet(String name);
  }

  private final MemoryBackend backend = MemoryBackend.open();
  private final Protocol<Greeting> protocol = Protocol.of(Greeting.class);

  /** How long a message takes; long enough that none is performed before a test sets it. */
  private volatile long millis = 500;

  private Service<Greeting, Greeting> service;

  @BeforeEach
  void start() {
    service =
        new Service<>(
            "greeting",
            new Service.End<>(backend.open("greeting.in", 1), protocol),
            new Service.End<>(backend.open("greeting.out", 1), protocol),
            (_, _) -> _ -> sleep(millis),
            ServiceOptions.defaults().withMaxBatch(1));
    service.start();
    try (Writer<Greeting> writer = protocol.writer(service.in().queue())) {
      for (int i = 0; i < 100; i++) {
        writer.calls().greet("olga");
      }
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterEach
  void stop() {
    millis = 0;
    service.close();
    backend.close();
  }

  private long await(Duration limit) throws InterruptedException {
    return new GracefulStop(new Services(List.of(new HostedService<>(service)), null), limit)
        .await();
  }

  @Test
  void waitsUntilTheServiceHasPerformedTheBacklog() throws Exception {
    millis = 2;
    assertThat(await(Duration.ofSeconds(20))).isZero();
    assertThat(service.position(0)).isEqualTo(100);
  }

  @Test
  void doesNotWaitBeyondItsLimitAndReturnsWhatIsLeft() throws Exception {
    millis = 1_000;
    Instant begun = Instant.now();
    assertThat(await(Duration.ofMillis(100))).isPositive();
    assertThat(Duration.between(begun, Instant.now())).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void doesNotWaitForAPausedService() throws Exception {
    millis = 50;
    service.pause("for the test");
    org.awaitility.Awaitility.await()
        .until(() -> service.state().phase() == io.forebay.service.ServiceState.Phase.PAUSED);
    Instant begun = Instant.now();
    assertThat(await(Duration.ofSeconds(60))).isPositive();
    assertThat(Duration.between(begun, Instant.now())).isLessThan(Duration.ofSeconds(30));
  }

  @Test
  @Timeout(120)
  void doesNotWaitForMessagesThatArriveLater() throws Exception {
    millis = 20;
    AtomicBoolean load = new AtomicBoolean(true);
    Thread other =
        Thread.ofPlatform()
            .start(() -> {
              try (Writer<Greeting> writer = protocol.writer(service.in().queue())) {
                while (load.get()) { // faster than it is performed
                  writer.calls().greet("olga");
                  sleep(5);
                }
              }
            });
    try {
      assertThat(await(Duration.ofHours(1))).isPositive();
      assertThat(service.position(0)).isGreaterThanOrEqualTo(100);
    } finally {
      load.set(false);
      other.join();
    }
  }
}
