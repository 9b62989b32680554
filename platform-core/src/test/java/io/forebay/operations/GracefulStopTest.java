/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.forebay.call.NoEvents;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.progress.HostedProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

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
    Logger logger = (Logger) LoggerFactory.getLogger(GracefulStop.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    Instant begun = Instant.now();
    assertThat(await(Duration.ofMillis(100))).isPositive();
    logger.detachAppender(lines);
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .singleElement()
        .asString()
        .contains("partition 0 of service greeting has 100", "limit=100 ms");
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

  /** The protocol of a service with results. */
  public interface Stock {
    CompletableFuture<Integer> left();
  }

  @Test
  void lastsUntilTheCallInProgressHasEnded() throws Exception {
    AtomicInteger begun = new AtomicInteger();
    Executor later = CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS);
    Stock slow =
        () -> {
          begun.incrementAndGet();
          return CompletableFuture.supplyAsync(() -> 7, later);
        };
    ServiceDefinition<Stock, NoEvents> stock =
        ServiceDefinition.of("stock", Stock.class, () -> slow);
    try (DefinedService<Stock, NoEvents> hosted =
        DefinedService.open(backend, stock, HostedProgress.none())) {
      for (int i = 0; i < 1_000; i++) {
        hosted.calls().left();
      }
      hosted.start();

      new GracefulStop(new Services(List.of(hosted), null), Duration.ofSeconds(2)).await();
      hosted.stop();

      assertThat(begun.get()).as("calls that were begun").isPositive().isLessThan(1_000);
      assertThat(hosted.position(0)).as("calls that were answered").isEqualTo(begun.get());
    }
  }
}
