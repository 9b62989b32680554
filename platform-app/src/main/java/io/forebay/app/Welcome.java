/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
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
 * configured. A {@code catalogue.yaml} in the data directory replaces the statements.
 */
final class Welcome implements EnvironmentPostProcessor, Ordered {

  /** The name of an operator's catalogue in the data directory. */
  private static final String CATALOGUE = "catalogue.yaml";

  private static final String SOURCE = "forebay-welcome";
  private static final String TABLE_SOURCE = "forebay-welcome-table";
  private static final Map<String, String> TABLE =
      Map.of("forebay.gateways.main.migrations", "classpath:welcome/migrations");
  private static final Map<String, String> STATEMENTS =
      Map.of("forebay.door.catalogue", "classpath:welcome/catalogue.yaml");

  /** Whether the statements are configured in this process. */
  static boolean isOn(Environment environment) {
    return environment instanceof ConfigurableEnvironment configurable
        && configurable.getPropertySources().contains(SOURCE);
  }

  /** A request that works: its path, up to the closing quotation mark, and options of curl. */
  static String request(Environment environment) {
    return isOn(environment)
        ? "/api/v1/statements/notes.add?wait=5s' -H 'Content-Type: application/json' -d"
            + " '{\"text\":\"hello\"}'"
        : "/api/v1/statements'";
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    Binder binder = Binder.get(environment);
    boolean configured =
        binder.bind("forebay.gateways", Bindable.mapOf(String.class, Object.class)).isBound()
            || environment.containsProperty("forebay.door.catalogue");
    if (!configured) {
      environment.getPropertySources().addLast(source(TABLE_SOURCE, TABLE));
      if (!hasCatalogue(environment)) {
        environment.getPropertySources().addLast(source(SOURCE, STATEMENTS));
      }
    }
  }

  private static MapPropertySource source(String name, Map<String, String> properties) {
    return new MapPropertySource(name, Map.copyOf(properties));
  }

  /** Whether the data directory has a catalogue. */
  private static boolean hasCatalogue(Environment environment) {
    try {
      Path data = Path.of(environment.getRequiredProperty("forebay.data"));
      return Files.exists(data.resolve(CATALOGUE));
    } catch (InvalidPathException _) {
      return false; // the check of the configuration reports it
    }
  }

  /** Runs after the configuration files are read. */
  @Override
  public int getOrder() {
    return ConfigDataEnvironmentPostProcessor.ORDER + 10;
  }
}
