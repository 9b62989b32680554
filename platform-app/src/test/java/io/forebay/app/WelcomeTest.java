/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.SelfCheck.Harm;
import io.forebay.operations.SelfCheck.Result;
import io.forebay.operations.SelfCheck.State;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class WelcomeTest {

  private static final String CATALOGUE = "forebay.door.catalogue";

  private static final ObjectProvider<LiveCatalogue> NONE =
      new StaticListableBeanFactory().getBeanProvider(LiveCatalogue.class);

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

  @Test
  void theSelfTestSaysWhatOfAFirstTryIsStillThere() throws Exception {
    FirstTry first = new FirstTry(environment(), new DataDirectory(data), NONE);
    assertThat(first.now().areExamples()).isTrue();
    assertThat(first.now().credentials()).isNull();
    assertThat(first.now().request()).contains("notes.add");
    assertThat(first.run())
        .extracting(Result::check, Result::state, Result::harm)
        .containsExactly(
            tuple("statements", State.WARN, Harm.UNFINISHED),
            tuple("gateways", State.WARN, Harm.UNFINISHED));
    assertThat(first.run().getFirst().change()).contains(data + "/catalogue.yaml");

    Path credentials = Files.writeString(data.resolve("admin-credentials"), "TOKEN=fb_\n");
    FirstTry configured =
        new FirstTry(environment(CATALOGUE, "file:x"), new DataDirectory(data), NONE);
    assertThat(configured.now().areExamples()).isFalse();
    assertThat(configured.now().credentials()).isEqualTo(credentials);
    assertThat(configured.run())
        .extracting(Result::state, Result::harm)
        .containsExactly(
            tuple(State.WARN, Harm.ACCESS),
            tuple(State.WARN, Harm.UNFINISHED),
            tuple(State.OK, null));
    assertThat(configured.run().get(1).text()).contains("missing or empty");
  }
}
