/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.DataDirectory;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

@AutoConfiguration
@EnableConfigurationProperties(PlatformProperties.class)
class PlatformAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  DataDirectory forebayData(PlatformProperties properties, Environment environment) {
    // Binding does not resolve placeholders in defaults.
    return new DataDirectory(
        Path.of(environment.resolveRequiredPlaceholders(properties.data().toString())));
  }
}
