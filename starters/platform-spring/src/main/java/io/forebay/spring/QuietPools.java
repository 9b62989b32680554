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
 * Logs only warnings of HikariCP's connections, unless the application says otherwise: its other
 * lines say which timeouts a driver does not have, and HSQLDB has none of them.
 */
final class QuietPools implements EnvironmentPostProcessor {

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    environment
        .getPropertySources()
        .addLast(
            new MapPropertySource(
                "forebayQuietPools",
                Map.of("logging.level.com.zaxxer.hikari.pool.PoolBase", "warn")));
  }
}
