/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Two applications of one process, as Spring's tests keep them, without a web server. */
@ExtendWith(OutputCaptureExtension.class)
class TwoApplicationsTest {

  @TempDir static Path directory;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  private static ConfigurableApplicationContext start(String name) {
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .properties(
            "spring.config.location=optional:file:" + directory.resolve("none.yaml"),
            "forebay.data=" + directory.resolve(name),
            "forebay.backend=memory",
            "forebay.default-gateway=main")
        .run();
  }

  /** The pools whose meters a registry has. */
  private static Set<String> measured(MeterRegistry registry) {
    return registry.getMeters().stream()
        .map(Meter::getId)
        .filter(id -> id.getName().startsWith("hikaricp."))
        .map(id -> String.valueOf(id.getTag("pool")))
        .collect(Collectors.toSet());
  }

  @Test
  void eachHasTheMetersOfItsPools(CapturedOutput output) {
    ConfigurableApplicationContext first = start("first");
    MeterRegistry meters;
    try (ConfigurableApplicationContext second = start("second")) {
      meters = second.getBean(MeterRegistry.class);
      Set<String> all = measured(meters);
      assertThat(all).contains("forebay-system", "forebay-commands");
      assertThat(measured(first.getBean(MeterRegistry.class))).isEqualTo(all);
      first.close();
      assertThat(measured(meters)).isEqualTo(all);
    }
    assertThat(measured(meters)).isEmpty();
    assertThat(measured(Metrics.globalRegistry)).isEmpty();
    assertThat(output).doesNotContain("MeterRegistry", "already been registered");
  }
}
