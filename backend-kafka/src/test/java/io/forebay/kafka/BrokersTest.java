/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.operations.StartRefused;
import io.forebay.queue.sender.SenderKeys;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.testcontainers.kafka.KafkaContainer;

/** Where the backend of an application looks for brokers. */
class BrokersTest {

  private static final String SERVERS = "bootstrap.servers";

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration(ServiceConnectionAutoConfiguration.class)
  static class Application {}

  static class WithContainer extends Application {

    @Bean
    @ServiceConnection
    KafkaContainer broker() {
      return new KafkaContainer("apache/kafka") {
        @Override
        public void start() {} // needs no engine

        @Override
        public String getBootstrapServers() {
          return "127.0.0.1:19092";
        }
      };
    }
  }

  static class WithBundle extends Application {

    @Bean
    KafkaConnectionDetails details() {
      return new KafkaConnectionDetails() {
        @Override
        public List<String> getBootstrapServers() {
          return List.of("127.0.0.1:19092");
        }

        @Override
        public @Nullable SslBundle getSslBundle() {
          return SslBundle.of(SslStoreBundle.NONE);
        }
      };
    }
  }

  private static Map<String, String> brokers(Class<?> application, String... properties) {
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(application).run(properties)) {
      KafkaProperties configured =
          Binder.get(context.getEnvironment()).bindOrCreate("forebay.kafka", KafkaProperties.class);
      return Brokers.of(configured, context);
    }
  }

  @Test
  void areOnThisHostByDefault() {
    assertThat(brokers(Application.class)).containsOnly(Map.entry(SERVERS, "localhost:9092"));
  }

  @Test
  void areInTheContainerOfTheApplication() {
    assertThat(brokers(WithContainer.class))
        .containsOnly(
            Map.entry(SERVERS, "127.0.0.1:19092"), Map.entry("security.protocol", "PLAINTEXT"));
  }

  @Test
  void areThoseOfForebaysOwnPropertyIfItIsSet() {
    assertThat(
            brokers(WithContainer.class, "--forebay.kafka.properties.bootstrap.servers=kafka:9092"))
        .containsOnly(Map.entry(SERVERS, "kafka:9092"));
  }

  @Test
  void areReachedByTheProtocolOfForebaysOwnPropertyIfItIsSet() {
    KafkaProperties properties =
        new Binder(
                new MapConfigurationPropertySource(
                    Map.of("forebay.kafka.properties[security.protocol]", "SSL")))
            .bind("forebay.kafka", KafkaProperties.class)
            .get();
    assertThat(
            properties
                .options(brokers(WithContainer.class), SenderKeys.NONE, true)
                .client()
                .get("security.protocol"))
        .isEqualTo("SSL");
  }

  @Test
  void anSslBundleIsRefused() {
    assertThatThrownBy(() -> brokers(WithBundle.class))
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("forebay.kafka.properties");
  }
}
