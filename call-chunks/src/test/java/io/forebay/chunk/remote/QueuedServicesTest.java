/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.chunk.Chunked;
import io.forebay.chunk.ChunkedService;
import io.forebay.operations.ServiceOperations;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceState;
import io.forebay.trace.RecordedSpans;
import io.forebay.trace.TraceParent;
import io.forebay.trace.Tracing;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The beans that a service creates. */
class QueuedServicesTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  ChunksAutoConfiguration.class, ChunksHttpAutoConfiguration.class))
          .withUserConfiguration(Services.class);

  @Configuration(proxyBeanMethods = false)
  static class Services {

    @Bean
    ListService<String, Integer> lengths() {
      return ListService.inOrder(
              "text-lengths",
              ChunkCodec.of(String.class, Integer.class),
              texts -> texts.stream().map(String::length).toList())
          .withPartitions(3);
    }

    @Bean
    ListService<Integer, Integer> squares() {
      return ListService.inOrder(
          "squares",
          ChunkCodec.of(Integer.class, Integer.class),
          numbers -> numbers.stream().map(number -> number * number).toList());
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Caller {

    private final ChunkedService<String, Integer> lengths;
    private final ChunkedService<Integer, Integer> squares;

    Caller(
        @Chunked("text-lengths") ChunkedService<String, Integer> lengths,
        @Chunked("squares") ChunkedService<Integer, Integer> squares) {
      this.lengths = lengths;
      this.squares = squares;
    }
  }

  @Test
  void aServiceIsServedFromQueuesAndCalledThroughThem() {
    runner
        .withBean(QueueBackend.class, () -> MemoryBackend.open())
        .withUserConfiguration(Caller.class)
        .run(context -> {
          Caller caller = context.getBean(Caller.class);
          assertThat(caller.lengths.call("tea")).isEqualTo(3);
          assertThat(caller.squares.call(4)).isEqualTo(16);
          assertThat(context.getBean("lengthsChunkService", QueuedService.class).in())
              .satisfies(queue -> {
                assertThat(queue.name()).isEqualTo("text-lengths.in");
                assertThat(queue.partitions()).isEqualTo(3);
              });
          assertThat(context.getBeansOfType(ServiceOperations.class).values())
              .extracting(ServiceOperations::name)
              .containsExactlyInAnyOrder("text-lengths", "squares");
          assertThat(
                  context
                      .getBean("squaresChunkService", ServiceOperations.class)
                      .view()
                      .state()
                      .phase())
              .isEqualTo(ServiceState.Phase.RUNNING);
        });
  }

  @Test
  void withATracerChunksHaveSpansBelowTheirCallers() {
    try (RecordedSpans spans = new RecordedSpans()) {
      runner
          .withBean(QueueBackend.class, () -> MemoryBackend.open())
          .withBean(Tracing.class, spans::tracing)
          .withUserConfiguration(Caller.class)
          .run(context -> {
            Caller caller = context.getBean(Caller.class);
            TraceParent by = spans.in("caller", () -> caller.squares.call(4));
            assertThat(spans.named("process squares.in"))
                .singleElement()
                .matches(RecordedSpans.childOf(by));
          });
    }
  }

  @Test
  void aServiceThatNobodyCallsHasNoClient() {
    runner
        .withBean(QueueBackend.class, () -> MemoryBackend.open())
        .run(context ->
            assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .contains("forebay-squares-0")
                .doesNotContain("forebay-squares.out-chunks"));
  }

  @Test
  void withoutABackendThereAreNoQueues() {
    runner.run(context -> {
      assertThat(context).hasNotFailed();
      assertThat(context).doesNotHaveBean(QueuedService.class);
      assertThat(context).hasBean("squares");
    });
  }

  @Test
  void withoutGrantsThereIsNoEndpoint() {
    WebApplicationContextRunner web =
        new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ChunksHttpAutoConfiguration.class))
            .withUserConfiguration(Services.class);
    web.run(context -> assertThat(context).doesNotHaveBean(ChunksController.class));
    web.withBean(ChunkGrants.class, () -> (_, _) -> true)
        .run(context -> assertThat(context).hasSingleBean(ChunksController.class));
  }
}
