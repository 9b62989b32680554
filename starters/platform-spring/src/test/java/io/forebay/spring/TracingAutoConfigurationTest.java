/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import static io.forebay.trace.RecordedSpans.childOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.DataDirectory;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.spring.hosting.OwnServiceAutoConfiguration;
import io.forebay.trace.RecordedSpans;
import io.forebay.trace.TraceParent;
import io.forebay.trace.Tracing;
import io.micrometer.tracing.Tracer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class TracingAutoConfigurationTest {

  /** The calls of a service, and its answers. */
  public interface Greeting {
    void greet(String name);
  }

  @Configuration
  static class Application {

    @Bean
    ServiceDefinition<Greeting, Greeting> greeting() {
      return ServiceDefinition.of("greeting", Greeting.class, Greeting.class, answers -> answers);
    }
  }

  @TempDir Path data;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  TracingAutoConfiguration.class, OwnServiceAutoConfiguration.class))
          .withBean(QueueBackend.class, () -> MemoryBackend.open())
          .withBean(DataDirectory.class, () -> new DataDirectory(data))
          .withUserConfiguration(Application.class);

  @Test
  void withATracerTheCallsOfAServiceHaveSpans() {
    try (RecordedSpans spans = new RecordedSpans()) {
      runner
          .withBean(Tracer.class, spans::tracer)
          .run(context -> {
            Greeting greeting = context.getBean("greetingCalls", Greeting.class);
            TraceParent caller = spans.in("caller", () -> greeting.greet("Ada"));
            await().until(() -> spans.named("process greeting.in").size() == 1);
            assertThat(spans.named("process greeting.in")).allMatch(childOf(caller));
          });
    }
  }

  @Test
  void withoutATracerThereIsNone() {
    runner.run(context -> assertThat(context.getBean(Tracing.class)).isSameAs(Tracing.NONE));
  }

  @Test
  void aTracingOfTheApplicationIsUsedInsteadOfATracer() {
    try (RecordedSpans spans = new RecordedSpans();
        RecordedSpans own = new RecordedSpans()) {
      Tracing tracing = own.tracing();
      runner
          .withBean(Tracer.class, spans::tracer)
          .withBean(Tracing.class, () -> tracing)
          .run(context -> assertThat(context.getBean(Tracing.class)).isSameAs(tracing));
    }
  }
}
