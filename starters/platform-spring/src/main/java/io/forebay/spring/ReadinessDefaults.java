/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Adds the health indicator {@code acceptance} to the readiness group, unless the application
 * defines that group itself or has switched the probes off.
 */
final class ReadinessDefaults implements EnvironmentPostProcessor {

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    if (environment.getProperty("management.endpoint.health.probes.enabled", boolean.class, true)) {
      environment
          .getPropertySources()
          .addLast(
              new MapPropertySource(
                  "forebayReadiness",
                  Map.of(
                      "management.endpoint.health.group.readiness.include",
                      "readinessState, acceptance")));
    }
  }
}
