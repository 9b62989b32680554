/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.Services;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.report.ServiceReport;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What an application with a service of its own shows through Spring Boot's actuator. */
class ActuatorTest {

  interface Pricing {
    void price(String item);
  }

  interface Prices {
    void priced(String item);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    ServiceDefinition<Pricing, Prices> pricing() {
      return ServiceDefinition.of(
          "pricing",
          Pricing.class,
          Prices.class,
          _ ->
              _ -> {
                throw new IllegalStateException("no price");
              });
    }
  }

  @TempDir Path data;

  private ConfigurableApplicationContext run() {
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .properties(
            "forebay.data=" + data,
            "forebay.backend=memory",
            "management.endpoints.jmx.exposure.include=health,failed,drain",
            "spring.jmx.enabled=true")
        .run();
  }

  @Test
  void readinessFollowsTheServices() throws Exception {
    try (ConfigurableApplicationContext context = run()) {
      HealthEndpoint health = context.getBean(HealthEndpoint.class);
      assertThat(health.healthForPath("readiness").getStatus()).isEqualTo(Status.UP);

      context.getBean(Services.class).all().getFirst().drain(Duration.ofSeconds(10));

      assertThat(health.healthForPath("readiness").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
    }
  }

  /** From the same report as metrics and the page, which needs no admin module. */
  @Test
  void eachServiceHasItsHealth() {
    try (ConfigurableApplicationContext context = run()) {
      HealthEndpoint health = context.getBean(HealthEndpoint.class);
      await()
          .untilAsserted(() -> {
            IndicatedHealthDescriptor one =
                (IndicatedHealthDescriptor) health.healthForPath("forebay", "pricing");
            assertThat(one.getStatus()).isEqualTo(Status.UP);
            assertThat(one.getDetails())
                .containsEntry("state", ServiceReport.State.KEEPING_UP)
                .containsEntry("behindSeconds", 0.0)
                .containsEntry("limitSeconds", 300L);
          });
    }
  }

  @Test
  void deadLettersAreListedAndReplayed() {
    try (ConfigurableApplicationContext context = run()) {
      context.getBean(Pricing.class).price("salt");
      FailedMessagesEndpoint letters = context.getBean(FailedMessagesEndpoint.class);
      await().until(() -> !page(letters, null).failures().isEmpty());
      Failure listed = page(letters, "pricing").failures().getFirst();
      Failure letter = (Failure) letters.one(listed.id()).getBody();
      assertThat(letter.kind()).isEqualTo("java.lang.IllegalStateException");

      assertThat(letters.replay(letter.id()).getStatus()).isEqualTo(200);
      Failure replayed = (Failure) letters.one(letter.id()).getBody();
      assertThat(replayed.replay().by()).isEqualTo("actuator");
      assertThat(letters.replay(letter.id()).getStatus()).isEqualTo(409);
      assertThat(letters.replay("pricing~0~99~none").getStatus()).isEqualTo(404);
      refused(letters.replay("x"), "not a valid id");
      refused(letters.one("x"), "not a valid id");
      refused(letters.list("pricng", null), "service pricng does not exist (known: [pricing])");

      await().until(() -> page(letters, "pricing").failures().size() == 2);
      assertThat(letters.one("pricing~0~99~none").getStatus()).isEqualTo(404);
    }
  }

  @Test
  void aServiceIsDrained() throws Exception {
    try (ConfigurableApplicationContext context = run()) {
      DrainEndpoint drain = context.getBean(DrainEndpoint.class);
      await().untilAsserted(() -> assertThat(drain.states()).containsEntry("pricing", "running"));
      assertThat(drain.drain("pricng").getStatus()).isEqualTo(404);
      assertThat(drain.drain("pricing").getStatus()).isEqualTo(200);
      await().untilAsserted(() -> assertThat(drain.states()).containsEntry("pricing", "drained"));
    }
  }

  private static Failures.Page page(FailedMessagesEndpoint letters, String service) {
    return (Failures.Page) letters.list(service, null).getBody();
  }

  private static void refused(WebEndpointResponse<Object> response, String detail) {
    assertThat(response.getStatus()).isEqualTo(400);
    assertThat(response.getBody()).asString().contains("detail=", detail);
  }
}
