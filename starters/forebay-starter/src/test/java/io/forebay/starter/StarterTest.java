/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.starter;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.hosting.ServiceDefinition;
import io.forebay.queue.QueueBackend;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/** An application with exactly the dependencies of the smallest starter. */
class StarterTest {

  interface Squares {
    void square(int number);
  }

  interface Answers {
    void squared(int square);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    final BlockingQueue<Integer> received = new ArrayBlockingQueue<>(1);

    @Bean
    ServiceDefinition<Squares, Answers> squares() {
      return ServiceDefinition.of(
          "squares",
          Squares.class,
          Answers.class,
          answers -> number -> answers.squared(number * number));
    }

    @Bean
    Answers answers() {
      return received::add;
    }
  }

  @TempDir Path directory;

  @Test
  void performsCallsFromQueuesInMemoryAndWritesNoFile() throws Exception {
    Path data = directory.resolve("data");
    try (ConfigurableApplicationContext application =
        new SpringApplicationBuilder(Application.class).run("--forebay.data=" + data)) {
      assertThat(application.getBean(QueueBackend.class).name()).isEqualTo("memory");
      application.getBean(Squares.class).square(7);
      assertThat(application.getBean(Application.class).received.poll(60, SECONDS)).isEqualTo(49);
    }
    assertThat(data).doesNotExist();
  }

  @Test
  void bringsNoOtherBackendDatabaseBatchOrWebServer() {
    assertThat(
            new String[] {
              "net.openhft.chronicle.queue.ChronicleQueue",
              "org.apache.kafka.clients.producer.KafkaProducer",
              "org.hsqldb.jdbc.JDBCDriver",
              "com.zaxxer.hikari.HikariDataSource",
              "org.flywaydb.core.Flyway",
              "org.springframework.jdbc.core.JdbcTemplate",
              "org.springframework.batch.core.job.Job",
              "org.springframework.web.servlet.DispatcherServlet",
            })
        .noneMatch(type -> ClassUtils.isPresent(type, null));
  }
}
