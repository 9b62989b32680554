/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.NoEvents;
import io.forebay.database.TestPostgres;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.testing.MachineAddresses;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** An application of a user, who tests it with PostgreSQL and Kafka of Testcontainers. */
@Tag("proof")
class ServiceConnectionIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  interface Numbers {
    CompletableFuture<Long> square(long number);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    @ServiceConnection
    PostgreSQLContainer database() {
      return TestPostgres.container().withInitScript("io/forebay/container/database.sql");
    }

    @Bean
    @ServiceConnection
    KafkaContainer brokers() {
      return TestBroker.container();
    }

    @Bean
    ServiceDefinition<Numbers, NoEvents> numbers() {
      return ServiceDefinition.of(
          "numbers",
          Numbers.class,
          () -> number -> CompletableFuture.completedFuture(number * number));
    }
  }

  @TempDir Path directory;

  @Test
  void aGatewayPerformsOnPostgresqlAndAnOwnServiceReturnsOverKafka() throws Exception {
    Engine.buildIfAsked("servers");
    Engine.assume(TestPostgres.container());
    Engine.assume(TestBroker.container());
    try (MachineAddresses _ = MachineAddresses.change();
        ConfigurableApplicationContext application = start()) {
      StatementClient client = application.getBean(StatementClient.class);
      assertThat(client.executeUpdate("insert into item (id) values (?)", 12L))
          .succeedsWithin(SOON)
          .isEqualTo(1L);
      assertThat(client.executeQuery("select id from item", Row.class))
          .succeedsWithin(SOON)
          .extracting(rows -> rows.row(0).get("id"))
          .isEqualTo(12L);
      assertThat(application.getBean(Numbers.class).square(12))
          .succeedsWithin(SOON)
          .isEqualTo(144L);
    }
  }

  private ConfigurableApplicationContext start() {
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .run(
            "--forebay.data=" + directory,
            "--forebay.backend=kafka",
            "--forebay.gateways.main.accept-text=true",
            "--forebay.gateways.main.datasource.username=forebay_gateway",
            "--forebay.gateways.main.datasource.password=",
            "--forebay.gateways.main.owner.username=forebay_owner",
            "--forebay.gateways.main.owner.password=");
  }
}
