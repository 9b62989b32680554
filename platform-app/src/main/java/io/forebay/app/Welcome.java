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
 * Configures a table and two statements to start with, if neither a gateway nor a catalogue is
 * configured.
 */
final class Welcome implements EnvironmentPostProcessor, Ordered {

  private static final String SOURCE = "forebay-welcome";

  /** Whether they are configured in this process. */
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

  /** Runs after the configuration files are read. */
  @Override
  public int getOrder() {
    return ConfigDataEnvironmentPostProcessor.ORDER + 10;
  }
}
