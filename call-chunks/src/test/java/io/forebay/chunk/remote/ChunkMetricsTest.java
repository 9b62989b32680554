/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ChunkMetricsTest {

  private final MeterRegistry registry = new SimpleMeterRegistry();

  private double counted(String meter, String... tags) {
    return registry
        .get(meter)
        .tags("collector", "calls", "service", "names")
        .tags(tags)
        .functionCounter()
        .count();
  }

  @Test
  void callsAndChunksOfACollectorBeanAreCounted() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ChunkMetricsAutoConfiguration.class))
        .withBean("calls", CallCollector.class, () -> new CallCollector())
        .run(context -> {
          CallCollector collector = context.getBean(CallCollector.class);
          ChunkedService<Integer, Integer> names =
              collector.service(
                  "names",
                  ChunkFunction.inOrder(numbers -> {
                    if (numbers.contains(-1)) {
                      throw new IllegalStateException("no such name");
                    }
                    return numbers;
                  }),
                  ChunkOptions.defaults().withMaxItems(10));
          context.getBean(MeterBinder.class).bindTo(registry);
          for (Future<Integer> body :
              collector.startAll(
                  IntStream.range(0, 25)
                      .<Callable<Integer>>mapToObj(i -> () -> names.call(i))
                      .toList())) {
            body.get();
          }
          assertThat(counted("forebay.chunk.calls")).isEqualTo(25);
          assertThat(counted("forebay.chunk.chunks", "reason", "items")).isEqualTo(2);
          assertThat(counted("forebay.chunk.chunks", "reason", "all_waiting")).isEqualTo(1);
          assertThat(counted("forebay.chunk.failures")).isZero();
          assertThat(registry.get("forebay.chunk.fill").gauge().value()).isEqualTo(25 / 30.0);

          assertThat(
                  collector.startAll(List.<Callable<Integer>>of(() -> names.call(-1))).getFirst())
              .failsWithin(Duration.ofSeconds(30));
          assertThat(counted("forebay.chunk.failures")).isEqualTo(1);
        });
  }
}
