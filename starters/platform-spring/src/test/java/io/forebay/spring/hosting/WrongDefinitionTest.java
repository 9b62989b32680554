/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.forebay.call.NoEvents;
import io.forebay.call.Protocol;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.queue.QueueBackend;
import io.forebay.service.errors.ErrorPolicy;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Qualifier;
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

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class ThrowingFactory {
    @Bean
    ServiceDefinition<Squares, Answers> thrower() {
      return ServiceDefinition.of(
              "thrower",
              Protocol.of(Squares.class),
              Protocol.of(Answers.class),
              (partition, answers) -> {
                if (partition == 1) {
                  throw new IllegalStateException("no drawer");
                }
                return answers::squared;
              })
          .withPartitions(2);
    }
  }

  /** The second one is no bean that can be called. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Stages {
    @Bean
    ServiceDefinition<Squares, Answers> squares() {
      return ServiceDefinition.of("squares", Squares.class, Answers.class, _ -> _ -> {});
    }

    @Bean
    ServiceDefinition<Answers, NoEvents> printing(ServiceDefinition<Squares, Answers> squares) {
      return ServiceDefinition.<Answers>of("printing", Answers.class, () -> _ -> {}).from(squares);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OneTypeInTwoLists {
    @Bean
    ServiceDefinition<Squares, Answers> squares() {
      return ServiceDefinition.<Squares, Answers>of(
              "squares", Squares.class, Answers.class, _ -> _ -> {})
          .withErrorPolicy(
              ErrorPolicy.defaults()
                  .withFatal(IllegalStateException.class)
                  .withDeclining(IllegalArgumentException.class, IllegalStateException.class));
    }
  }

  record LaterStage(Answers answers) {}

  @Configuration(proxyBeanMethods = false)
  static class PartitionsOfALaterStage {
    @Bean
    ServiceDefinition<Answers, NoEvents> copying(ServiceDefinition<Squares, Answers> squares) {
      return ServiceDefinition.<Answers>of("copying", Answers.class, () -> _ -> {})
          .from(squares)
          .withPartitions(2);
    }
  }

  /** Two services with one interface. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class SameInterface {

    private static ServiceDefinition<Squares, Answers> defined(String name) {
      return ServiceDefinition.of(name, Squares.class, Answers.class, _ -> _ -> {});
    }

    @Bean
    ServiceDefinition<Squares, Answers> first() {
      return defined("north-squares");
    }

    @Bean
    ServiceDefinition<Squares, Answers> second() {
      return defined("south");
    }
  }

  record Unqualified(Squares squares) {}

  record Qualified(
      @Qualifier("north-squares") Squares north,
      @Qualifier("south") Squares south,
      @Qualifier("south") OwnService<Squares, Answers> service) {}

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

  private ConfigurableApplicationContext run(Class<?>... application) {
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
    assertThat(catchThrowable(() -> run(OtherPartitions.class)))
        .rootCause()
        .as("the cause of the refusal")
        .hasMessageNotContaining("service squares cannot start");
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "service squares cannot start", "squares.in")
        .doesNotContain("\tat ");
  }

  @Test
  void oneOfTwoServicesWithTheSameInterfaceIsInjectedByItsName() {
    try (ConfigurableApplicationContext application = run(SameInterface.class, Qualified.class)) {
      Qualified chosen = application.getBean(Qualified.class);
      chosen.south().square(2);
      assertThat(chosen.service().name()).isEqualTo("south");
      await().until(() -> chosen.service().position(0) == 1);
      assertThat(chosen.north()).isNotSameAs(chosen.south());
    }
  }

  @Test
  void aChoiceBetweenServicesIsRequestedWithoutAStackTrace(CapturedOutput output) {
    assertThat(catchThrowable(() -> run(SameInterface.class, Unqualified.class))).isNotNull();
    assertThat(output)
        .contains(
            "APPLICATION FAILED TO START",
            "Services [north-squares, south] have the same interface " + Squares.class.getName(),
            "@Qualifier(\"north-squares\")")
        .doesNotContain("\tat ");
  }

  @Test
  void anExceptionTypeInTwoListsOfThePolicyIsReportedWithoutAStackTrace(CapturedOutput output) {
    assertThat(catchThrowable(() -> run(OneTypeInTwoLists.class))).isNotNull();
    assertThat(output)
        .contains(
            "OneTypeInTwoLists.squares defines is refused: exception java.lang.IllegalStateException is named by withFatal and by withDeclining")
        .doesNotContain("\tat ");
  }

  @Test
  void aFactoryThatCreatesNoComponentEndsTheStart(CapturedOutput output) {
    assertThat(catchThrowable(() -> run(NoComponent.class))).isNotNull();
    assertThat(output)
        .contains(
            "APPLICATION FAILED TO START",
            "service squares cannot start: the factory of its component returned null for partition 0");
    assertThat(catchThrowable(() -> run(ThrowingFactory.class))).isNotNull();
    assertThat(output)
        .contains(
            "service thrower cannot start: the factory of its component threw java.lang.IllegalStateException: no drawer for partition 1");
  }

  @Test
  void theFirstStageIsNamedIfALaterOneIsToBeInjected(CapturedOutput output) {
    assertThat(catchThrowable(() -> run(Stages.class, LaterStage.class))).isNotNull();
    assertThat(output)
        .contains(
            "APPLICATION FAILED TO START",
            Answers.class.getName() + " are the calls of service printing",
            "Inject " + Squares.class.getName(),
            "@Qualifier(\"squares\")")
        .doesNotContain("\tat ");
  }

  @Test
  void aSettingThatALaterStageCannotHaveIsReportedWithoutAStackTrace(CapturedOutput output) {
    assertThat(catchThrowable(() -> run(Stages.class, PartitionsOfALaterStage.class))).isNotNull();
    assertThat(output)
        .contains(
            "APPLICATION FAILED TO START",
            "PartitionsOfALaterStage.copying defines is refused: service copying performs the answers")
        .doesNotContain("\tat ");
  }
}
