/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.starter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.forebay.operations.StartRefused;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/** An application with exactly the dependencies of this starter. */
class ChronicleStarterTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  @TempDir Path directory;

  private ConfigurableApplicationContext start(String... more) {
    return new SpringApplicationBuilder(Application.class)
        .properties("forebay.data=" + directory.resolve("data"))
        .run(more);
  }

  @Test
  void keepsQueuesInFilesWithoutConfiguration() {
    try (ConfigurableApplicationContext application = start();
        MessageQueue queue = application.getBean(QueueBackend.class).open("calls", 1)) {
      assertThat(queue.name()).isEqualTo("calls");
      assertThat(application.getBean(QueueBackend.class).name()).isEqualTo("chronicle");
    }
    assertThat(directory.resolve("data")).isNotEmptyDirectory();
  }

  @Test
  void theRollCycleIsCheckedAtTheStart() {
    try (ConfigurableApplicationContext application = start("--forebay.chronicle.roll-cycle=5m");
        MessageQueue _ = application.getBean(QueueBackend.class).open("calls.in", 1)) {
      assertThat(directory.resolve("data/queues/calls.in")).isNotEmptyDirectory();
    }
    assertThat(catchThrowable(() -> start("--forebay.chronicle.roll-cycle=7m")))
        .rootCause()
        .hasMessageContaining("must be one of 5m, 10m, 20m, 30m, 1h, 2h, 4h, 6h");
  }

  @Test
  void anApplicationWithoutANameIsToldSo() {
    assertThat(catchThrowable(() -> new SpringApplicationBuilder(Application.class).run()))
        .rootCause()
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("set spring.application.name");
  }

  @Test
  void memoryCanBeChosenAndBringsNoFiles() {
    try (ConfigurableApplicationContext application = start("--forebay.backend=memory")) {
      assertThat(application.getBean(QueueBackend.class).name()).isEqualTo("memory");
    }
    assertThat(directory.resolve("data")).doesNotExist();
  }

  @Test
  void bringsNoDatabase() {
    assertThat(ClassUtils.isPresent("org.flywaydb.core.Flyway", null)).isFalse();
  }
}
