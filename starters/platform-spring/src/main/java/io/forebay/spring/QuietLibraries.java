/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.ClassUtils;

/**
 * Logs only warnings of libraries that Forebay brings, unless the application says otherwise: of
 * HikariCP's connections, whose other lines say which timeouts a driver does not have, and HSQLDB
 * has none of them; and of Kafka's clients, which print all their settings.
 */
final class QuietLibraries implements EnvironmentPostProcessor {

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    Map<String, Object> levels = new HashMap<>();
    levels.put("logging.level.com.zaxxer.hikari.pool.PoolBase", "warn");
    if (ClassUtils.isPresent("io.forebay.kafka.KafkaBackend", getClass().getClassLoader())) {
      levels.put("logging.level.org.apache.kafka", "warn");
    }
    environment
        .getPropertySources()
        .addLast(new MapPropertySource("forebayQuietLibraries", levels));
  }
}
