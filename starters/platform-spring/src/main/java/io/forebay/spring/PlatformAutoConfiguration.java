/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

@AutoConfiguration
@EnableConfigurationProperties(PlatformProperties.class)
class PlatformAutoConfiguration {

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  DataDirectory forebayData(PlatformProperties properties, Environment environment) {
    return new DataDirectory(
        properties.data() == null ? ofApplication(properties, environment) : properties.data());
  }

  /**
   * Applications on one host must not share queues, which have the names of services.
   *
   * @throws StartRefused if the application has no name and may write files
   */
  private static Path ofApplication(PlatformProperties properties, Environment environment) {
    String name = environment.getProperty("spring.application.name", "");
    if (name.isBlank() && properties.mayWriteFiles()) {
      throw new StartRefused(
          "Forebay has no data directory: set spring.application.name, which makes it"
              + " ~/.forebay-NAME, or set forebay.data");
    }
    return Path.of(
        environment.getRequiredProperty("user.home"),
        ".forebay-" + name.replaceAll("[^\\p{Alnum}._-]", "-"));
  }
}
