/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestPostgres;
import io.forebay.operations.StartRefused;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** A role of Forebay without a URL connects to the database that the application has. */
class ApplicationsDatabaseTest {

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withPropertyValues(
              "forebay.system.datasource.username=forebay_gateway",
              "forebay.system.datasource.password=",
              "forebay.system.owner.username=forebay_owner",
              "forebay.system.owner.password=")
          .withConfiguration(
              AutoConfigurations.of(
                  ServiceConnectionAutoConfiguration.class, SystemDatabaseAutoConfiguration.class));

  @Configuration(proxyBeanMethods = false)
  static class WithContainer {

    @Bean
    TestPostgres server() {
      return TestPostgres.shared();
    }

    @Bean
    @ServiceConnection
    PostgreSQLContainer container(TestPostgres server) {
      return new PostgreSQLContainer("postgres") {
        @Override
        public void start() {} // needs no engine

        @Override
        public void stop() {}

        @Override
        public String getJdbcUrl() {
          return server.url();
        }
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithItsOwnDataSource {

    @Bean
    DataSource orders() {
      return new DriverManagerDataSource();
    }
  }

  private record Container(String getJdbcUrl, String getUsername, String getPassword)
      implements JdbcConnectionDetails {}

  @Configuration(proxyBeanMethods = false)
  static class WithTwoContainers {

    @Bean
    JdbcConnectionDetails orders() {
      return new Container("jdbc:postgresql://localhost:1/x", "x", "x");
    }

    @Bean
    JdbcConnectionDetails parcels() {
      return new Container("jdbc:postgresql://localhost:1/x", "x", "x");
    }
  }

  private static String role(ApplicationContext context) {
    return context
        .getBean(SystemDatabase.class)
        .ask(ask -> ask.sql("select current_user").query(String.class).single());
  }

  @Test
  void inAContainer() {
    application
        .withUserConfiguration(WithContainer.class)
        .run(context -> assertThat(role(context)).isEqualTo("forebay_gateway"));
  }

  @Test
  void inItsOwnProperties() {
    try (TestPostgres server = TestPostgres.shared()) {
      application
          .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
          .withPropertyValues("spring.datasource.url=" + server.url())
          .run(context -> assertThat(role(context)).isEqualTo("forebay_gateway"));
    }
  }

  @Test
  void besideADataSourceOfItsOwn() {
    application
        .withUserConfiguration(WithItsOwnDataSource.class)
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=jdbc:postgresql://localhost:1/orders")
        .run(context -> assertThat(context).hasSingleBean(SystemDatabase.class));
  }

  private static void refused(ApplicationContextRunner application, String... words) {
    application.run(context ->
        assertThat(context)
            .getFailure()
            .rootCause()
            .isInstanceOf(StartRefused.class)
            .hasMessageStartingWith("forebay.system.datasource.url")
            .hasMessageContainingAll(words));
  }

  @Test
  void isNeverOneInMemoryThatSpringBootWouldMake() {
    refused(
        application.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class)),
        "spring.datasource.url");
  }

  @Test
  void orIsToldThatNoneIsKnown() {
    refused(application, "spring.datasource.url");
  }

  @Test
  void orIsToldThatThereAreSeveral() {
    refused(
        application
            .withUserConfiguration(WithTwoContainers.class)
            .withPropertyValues("spring.datasource.url=jdbc:postgresql://localhost:1/orders"),
        "several");
  }
}
