/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Writer;
import io.forebay.capacity.Figure;
import io.forebay.capacity.series.RingLengths;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.Services;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.report.ServiceWatch;
import io.forebay.service.progress.HostedProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The chains of real services, and their times. */
class PipelinesTest {

  public interface Work {
    void work(long number);
  }

  private static final long PERFORMING_NANOS = 50_000;

  private final MemoryBackend backend = MemoryBackend.open();
  private final DefinedService<Work, Work> pricing = first("pricing");
  private final DefinedService<Work, Work> billing = behind("billing", pricing);
  private final DefinedService<Work, Work> accounting = behind("accounting", billing);
  private final DefinedService<Work, Work> alone = first("alone");
  private final DefinedService<Work, Work> orders = first("orders");
  private final DefinedService<Work, Work> mail = behind("mail", orders);
  private final Services services =
      new Services(List.of(accounting, alone, billing, mail, orders, pricing), null);
  private Instant now = Instant.now();
  private final List<ServiceWatch> watches =
      services.all().stream()
          .map(service ->
              new ServiceWatch(
                  service,
                  services.readings(service.name()),
                  Duration.ofMinutes(5),
                  RingLengths.DEFAULT,
                  () -> now))
          .toList();
  private final Pipelines pipelines = new Pipelines(watches);

  private static ServiceDefinition<Work, Work> definition(String name) {
    return ServiceDefinition.of(
        name,
        Work.class,
        Work.class,
        answers ->
            number -> {
              for (long end = System.nanoTime() + PERFORMING_NANOS; System.nanoTime() < end; ) {
                Thread.onSpinWait();
              }
              answers.work(number);
            });
  }

  private DefinedService<Work, Work> first(String name) {
    return DefinedService.open(backend, definition(name), HostedProgress.none());
  }

  private DefinedService<Work, Work> behind(String name, DefinedService<?, Work> before) {
    return DefinedService.open(
        backend, definition(name).from(before.definition()), before, HostedProgress.none());
  }

  @AfterEach
  void close() {
    List.of(accounting, billing, pricing, alone, mail, orders).forEach(HostedService::close);
    backend.close();
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      watches.forEach(watch -> watch.sample(now));
    }
  }

  @Test
  void eachChainHasItsStagesInOrderWithTheTimesOfItsMessages() throws Exception {
    assertThat(pipelines.at(now))
        .extracting(Pipelines.Pipeline::answers)
        .containsExactly("mail.out", "accounting.out");
    assertThat(pipelines.at(now).getLast().stages())
        .extracting(Pipelines.Stage::service, Pipelines.Stage::queue)
        .containsExactly(
            tuple("pricing", "pricing.in"),
            tuple("billing", "pricing.out"),
            tuple("accounting", "billing.out"));
    assertThat(pipelines.at(now).getLast().stages().getFirst().waits().p50())
        .isEqualTo(Figure.unknown("needs 20 values, has 0"));

    pricing.pause("until all are sent");
    pricing.start();
    try (Writer<Work> writer = pricing.createWriter()) {
      for (int number = 0; number < 1_000; number++) {
        writer.calls().work(number);
      }
      writer.await(Duration.ofSeconds(30));
    }
    pricing.resume();
    await().until(() -> accounting.position(0) == 1_000);
    pass(11);
    assertThat(pipelines.at(now).getLast().stages())
        .allSatisfy(stage -> {
          assertThat(stage.performs().p50().known().orElseThrow())
              .isGreaterThanOrEqualTo(Duration.ofNanos(PERFORMING_NANOS));
          assertThat(stage.performs().p99().known()).isPresent();
          assertThat(stage.waits().p50().known()).isPresent();
          assertThat(stage.waits().p99().known().orElseThrow())
              .isGreaterThanOrEqualTo(stage.waits().p50().known().orElseThrow());
        });
    assertThat(pipelines.at(now).getLast().stages().getFirst().waits().p50().known().orElseThrow())
        .as("half of the messages wait until as many others are performed")
        .isGreaterThan(Duration.ofNanos(400 * PERFORMING_NANOS));
  }
}
