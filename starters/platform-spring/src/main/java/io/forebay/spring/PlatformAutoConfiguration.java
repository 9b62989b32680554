/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

@AutoConfiguration
@EnableConfigurationProperties(PlatformProperties.class)
class PlatformAutoConfiguration {

  private static final Logger LOG = LoggerFactory.getLogger(PlatformAutoConfiguration.class);

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
    Path home = Path.of(environment.getRequiredProperty("user.home"));
    Path named = home.resolve(".forebay-" + name.replaceAll("[^\\p{Alnum}._-]", "-"));
    Path unnamed = home.resolve(".forebay");
    if (Files.notExists(named) && Files.exists(unnamed)) {
      LOG.info(
          "The data directory {} is new; to use the one without a name, set forebay.data={}",
          named,
          unnamed);
    }
    return named;
  }
}
