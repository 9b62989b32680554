/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.EmbeddedDatabaseAutoConfiguration;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.spring.hosting.OwnService;
import io.forebay.spring.hosting.OwnServiceAutoConfiguration;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A gateway that the configuration makes the last stage of a pipeline. */
class GatewaySourceTest {

  interface Orders {
    void ordered(String item);
  }

  interface Prices {
    void priced(String item, long cents);
  }

  @Configuration(proxyBeanMethods = false)
  static class Application {

    @Bean
    ServiceDefinition<Orders, Prices> pricing() {
      return ServiceDefinition.<Orders, Prices>of(
              "pricing",
              Orders.class,
              Prices.class,
              prices -> item -> prices.priced(item, 100L * item.length()))
          .withPartitions(2);
    }

    @Bean
    ServiceDefinition<Prices, JDBCStatement> booking(ServiceDefinition<Orders, Prices> pricing) {
      return ServiceDefinition.<Prices, JDBCStatement>of(
              "booking",
              Prices.class,
              JDBCStatement.class,
              statements ->
                  (item, cents) ->
                      statements.executeUpdate("insert into orders values (?, ?)", cents, item))
          .from(pricing);
    }
  }

  @TempDir Path directory;

  private ApplicationContextRunner with(String... properties) {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                EmbeddedDatabaseAutoConfiguration.class,
                GatewayAutoConfiguration.class,
                OwnServiceAutoConfiguration.class))
        .withUserConfiguration(Application.class)
        .withBean(QueueBackend.class, () -> MemoryBackend.open())
        .withBean(DataDirectory.class, () -> new DataDirectory(directory.resolve("data")))
        .withPropertyValues(
            "forebay.gateways.books.migrations=classpath:own-tables",
            "forebay.gateways.books.from=booking")
        .withPropertyValues(properties);
  }

  @Test
  void itPerformsTheAnswersOfTheServiceAndOtherGatewaysDoNot() {
    with("forebay.gateways.main.statement-timeout=30s")
        .run(context -> {
          StatementClient client = context.getBean(StatementClient.class);
          context.getBean(Orders.class).ordered("tea");
          context.getBean(Orders.class).ordered("coffee");
          await()
              .until(() ->
                  client.executeQuery("select item from orders", Row.class).get().size() == 2);
          assertThat(gateway(context, "books").in().name()).isEqualTo("booking.out");
          assertThat(gateway(context, "books").in().partitions()).isEqualTo(2);
          OwnService<?, ?> booking = context.getBean("bookingService", OwnService.class);
          await().until(booking::hasDeliveredAll);
          client.executeQuery("select item from orders", Row.class).get();
          for (String name : List.of("books", "main")) {
            assertThat(gateway(context, name).view().counts().failed())
                .as("if both performed the statements, one would fail, in %s", name)
                .isZero();
          }
          assertThat(context.getBeansOfType(JDBCStatement.class))
              .containsOnlyKeys("mainStatements");
        });
  }

  private static JDBCService gateway(ConfigurableApplicationContext context, String name) {
    return context.getBean(name + "Gateway", JDBCService.class);
  }

  @Test
  void aServiceThatCannotBeItsSourceIsRefused() {
    refused(
        "gateway books performs the answers of service none, which is not a service of this"
            + " application (known: [booking, pricing])",
        "forebay.gateways.books.from=none");
    refused(
        "gateway books performs the answers of service pricing, whose answers are "
            + Prices.class.getName()
            + " and not io.forebay.jdbc.JDBCStatement",
        "forebay.gateways.books.from=pricing");
    with("forebay.gateways.more.from=booking")
        .run(context ->
            assertThat(context)
                .hasFailed()
                .getFailure()
                .rootCause()
                .hasMessageContaining("a service has at most one next stage"));
  }

  @Test
  void itHasThePartitionsOfItsSource() {
    with("forebay.gateways.books.partitions=3")
        .run(context ->
            assertThat(context)
                .hasFailed()
                .getFailure()
                .rootCause()
                .hasMessageContaining(
                    "is not allowed with from: the gateway has as many partitions as service booking"));
  }

  @Test
  void noServiceHasItsName() {
    refused(
        "service booking cannot have the name of gateway forebay.gateways.booking; give one of them"
            + " another name",
        "forebay.gateways.booking.statement-timeout=30s");
  }

  private void refused(String message, String... properties) {
    with(properties)
        .run(context ->
            assertThat(context)
                .hasFailed()
                .getFailure()
                .rootCause()
                .isInstanceOf(StartRefused.class)
                .hasMessage(message));
  }
}
