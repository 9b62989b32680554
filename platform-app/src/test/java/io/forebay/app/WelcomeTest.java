/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class WelcomeTest {

  private static final String CATALOGUE = "forebay.door.catalogue";

  @TempDir Path data;

  private StandardEnvironment environment(String... property) {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .addFirst(new MapPropertySource("test", Map.of("forebay.data", data.toString())));
    if (property.length > 0) {
      environment
          .getPropertySources()
          .addFirst(new MapPropertySource("more", Map.of(property[0], property[1])));
    }
    new Welcome().postProcessEnvironment(environment, new SpringApplication());
    return environment;
  }

  @Test
  void providesStatementsUntilTheDataDirectoryHasACatalogue() throws Exception {
    assertThat(environment().getProperty(CATALOGUE)).isEqualTo("classpath:welcome/catalogue.yaml");
    assertThat(Welcome.isOn(environment())).isTrue();
    assertThat(Welcome.request(environment())).contains("notes.add");

    Files.writeString(data.resolve("catalogue.yaml"), "orders.list: {}");

    StandardEnvironment environment = environment();
    assertThat(environment.getProperty(CATALOGUE)).isNull();
    assertThat(Welcome.isOn(environment)).isFalse();
    assertThat(environment.getProperty("forebay.gateways.main.migrations"))
        .as("its migration was applied before")
        .isEqualTo("classpath:welcome/migrations");
  }

  @Test
  void changesNothingThatIsConfigured() {
    assertThat(environment(CATALOGUE, "file:x").getProperty(CATALOGUE)).isEqualTo("file:x");
    assertThat(environment("forebay.gateways.shop.partitions", "2").getProperty(CATALOGUE))
        .isNull();
  }
}
