/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.Services;
import io.forebay.queue.QueueBackend;
import io.forebay.service.ServiceState;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What a user reads at the start if the definition of a service is wrong. */
@ExtendWith(OutputCaptureExtension.class)
class WrongDefinitionTest {

  interface Places {
    void move(Locale from, Thread to);
  }

  interface Squares {
    void square(int number);
  }

  interface Answers {
    void squared(int square);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class UnsupportedTypes {
    @Bean
    ServiceDefinition<Places, Answers> places() {
      return ServiceDefinition.of("places", Places.class, Answers.class, _ -> (_, _) -> {});
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Untyped {
    @Bean
    ServiceDefinition<?, ?> squares() {
      return ServiceDefinition.of("squares", Squares.class, Answers.class, _ -> _ -> {});
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class NoComponent {
    @Bean
    ServiceDefinition<Squares, Answers> squares() {
      return ServiceDefinition.of("squares", Squares.class, Answers.class, _ -> null);
    }
  }

  /** Whose queue was created with another number of partitions. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OtherPartitions {
    @Bean
    ServiceDefinition<Squares, Answers> squares(QueueBackend backend) {
      backend.open("squares.in", 3);
      return ServiceDefinition.of("squares", Squares.class, Answers.class, _ -> _ -> {});
    }
  }

  @TempDir Path data;

  private ConfigurableApplicationContext run(Class<?> application) {
    return new SpringApplicationBuilder(application)
        .web(WebApplicationType.NONE)
        .run("--forebay.data=" + data, "--forebay.backend=memory");
  }

  @Test
  void typesThatNoMessageCanCarryAreReportedWithoutAStackTrace(CapturedOutput output) {
    assertThat(catchThrowable(() -> run(UnsupportedTypes.class))).isNotNull();
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "UnsupportedTypes.places", "Locale", "Thread")
        .doesNotContain("\tat ");
  }

  @Test
  void aDefinitionWithoutItsInterfacesIsReportedWithoutAStackTrace(CapturedOutput output) {
    assertThat(catchThrowable(() -> run(Untyped.class))).isNotNull();
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "ServiceDefinition<Pricing, Prices>")
        .doesNotContain("\tat ");
  }

  @Test
  void aQueueThatCannotBeOpenedIsReportedWithoutAStackTrace(CapturedOutput output) {
    assertThat(catchThrowable(() -> run(OtherPartitions.class))).isNotNull();
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "service squares cannot start", "squares.in")
        .doesNotContain("\tat ");
  }

  @Test
  void aFactoryThatCreatesNullFailsTheService() {
    try (ConfigurableApplicationContext application = run(NoComponent.class)) {
      var service = application.getBean(Services.class).find("squares").orElseThrow();
      await()
          .untilAsserted(() -> {
            ServiceState state = service.view().state();
            assertThat(state.phase()).isEqualTo(ServiceState.Phase.FAILED);
            assertThat(state.reason()).contains("null instead of a component");
          });
    }
  }
}
