/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;

/**
 * A table and two statements to begin with, where neither a gateway nor a catalogue is configured.
 */
final class Welcome implements EnvironmentPostProcessor, Ordered {

  private static final String SOURCE = "forebay-welcome";

  /** Whether this process has them. */
  static boolean isOn(Environment environment) {
    return environment instanceof ConfigurableEnvironment configurable
        && configurable.getPropertySources().contains(SOURCE);
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    Binder binder = Binder.get(environment);
    boolean configured =
        binder.bind("forebay.gateways", Bindable.mapOf(String.class, Object.class)).isBound()
            || environment.containsProperty("forebay.door.catalogue");
    if (!configured) {
      environment
          .getPropertySources()
          .addLast(
              new MapPropertySource(
                  SOURCE,
                  Map.of(
                      "forebay.gateways.main.migrations",
                      "classpath:welcome/migrations",
                      "forebay.door.catalogue",
                      "classpath:welcome/catalogue.yaml")));
    }
  }

  /** After the files of the configuration. */
  @Override
  public int getOrder() {
    return ConfigDataEnvironmentPostProcessor.ORDER + 10;
  }
}
