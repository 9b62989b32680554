/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.hosting.ServiceDefinition;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** A process without a web server, whose main method ends after the start. */
class KeepAliveTest {

  private static final int TERMINATED = 143;

  interface Squares {
    void square(int number);
  }

  interface Answers {
    void squared(int square);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    @Profile("service")
    ServiceDefinition<Squares, Answers> squares() {
      return ServiceDefinition.of(
          "squares",
          Squares.class,
          Answers.class,
          answers -> number -> answers.squared(number * number));
    }

    public static void main(String[] arguments) {
      new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE).run(arguments);
      System.out.println("main has ended");
    }
  }

  @TempDir Path data;

  private ChildProcess start(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--forebay.data=" + data);
    all.add("--forebay.backend=memory");
    return ChildProcess.start(
        ChildProcess.java(
            ChildProcess.options("-XX:TieredStopAtLevel=1"),
            Application.class,
            all.toArray(Object[]::new)));
  }

  @Test
  void aServiceKeepsItRunningUntilItIsTerminated() {
    try (ChildProcess process = start("--spring.profiles.active=service")) {
      process.await("main has ended");
      assertThat(process.endsWithin(Duration.ofSeconds(1))).isFalse();
      assertThat(process.stop()).isEqualTo(TERMINATED);
    }
  }

  @Test
  void itEndsIfItHasNothingToDoOrIsNotToBeKept() {
    try (ChildProcess idle = start();
        ChildProcess unwanted =
            start("--spring.profiles.active=service", "--spring.main.keep-alive=false")) {
      for (ChildProcess process : List.of(idle, unwanted)) {
        assertThat(process.awaitEnd()).isZero();
      }
    }
  }
}
