/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.starter;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.QueueBackend;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/** An application with exactly the dependencies of this starter. */
class KafkaStarterTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  @TempDir Path directory;

  /** The backend connects when its first queue is opened. */
  @Test
  void keepsQueuesOnKafkaWithoutConfiguration() {
    try (ConfigurableApplicationContext application =
        new SpringApplicationBuilder(Application.class)
            .run("--forebay.data=" + directory.resolve("data"))) {
      assertThat(application.getBean(QueueBackend.class).name()).isEqualTo("kafka");
      assertThat(LoggerFactory.getLogger("org.apache.kafka.clients").isInfoEnabled())
          .as("the settings of each client")
          .isFalse();
    }
    assertThat(directory.resolve("data")).doesNotExist();
  }

  @Test
  void bringsNoBrokerAndNoQueueFiles() {
    assertThat(new String[] {"kafka.Kafka", "net.openhft.chronicle.queue.ChronicleQueue"})
        .noneMatch(type -> ClassUtils.isPresent(type, null));
  }
}
