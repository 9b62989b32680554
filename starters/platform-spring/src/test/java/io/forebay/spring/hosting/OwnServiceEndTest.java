/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.NoEvents;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.DataDirectory;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The end of an application whose services perform calls. */
class OwnServiceEndTest {

  interface Stock {
    CompletableFuture<Integer> left();
  }

  @TempDir Path data;

  private static final AtomicInteger BEGUN = new AtomicInteger();

  @Configuration(proxyBeanMethods = false)
  static class Hanging {

    private static ServiceDefinition<Stock, NoEvents> hanging(String name) {
      return ServiceDefinition.of(
          name,
          Stock.class,
          () ->
              () -> {
                BEGUN.incrementAndGet();
                return new CompletableFuture<>();
              });
    }

    @Bean
    ServiceDefinition<Stock, NoEvents> one() {
      return hanging("one");
    }

    @Bean
    ServiceDefinition<Stock, NoEvents> two() {
      return hanging("two");
    }

    @Bean
    ServiceDefinition<Stock, NoEvents> three() {
      return hanging("three");
    }
  }

  @Test
  void callsThatNeverEndDelayItByTheLimitOnceAndNotForEachService() throws Exception {
    Instant[] ending = new Instant[1];
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                OwnServiceAutoConfiguration.class,
                Class.forName("io.forebay.spring.OperationsAutoConfiguration")))
        .withBean(QueueBackend.class, () -> MemoryBackend.open())
        .withBean(DataDirectory.class, () -> new DataDirectory(data))
        .withUserConfiguration(Hanging.class)
        .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=200ms")
        .run(context -> {
          context
              .getBeansOfType(OwnService.class)
              .values()
              .forEach(service -> ((Stock) service.calls()).left());
          await().until(() -> BEGUN.get() == 3);
          ending[0] = Instant.now();
        });

    assertThat(Duration.between(ending[0], Instant.now()))
        .as("each service alone waits 5 s for a call when there is no limit")
        .isLessThan(Duration.ofSeconds(10));
  }
}
