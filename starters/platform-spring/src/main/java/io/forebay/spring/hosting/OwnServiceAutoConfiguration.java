/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.operations.DataDirectory;
import io.forebay.service.progress.HostedProgress;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Runs each {@link io.forebay.hosting.ServiceDefinition} among the beans. */
@AutoConfiguration(
    afterName = {
      "io.forebay.spring.MemoryAutoConfiguration",
      "io.forebay.chronicle.ChronicleAutoConfiguration",
      "io.forebay.system.SystemAutoConfiguration"
    })
class OwnServiceAutoConfiguration {

  @Bean
  static OwnServices ownServices() {
    return new OwnServices();
  }

  /** Used if there is no system database. */
  @Bean
  @Lazy
  @ConditionalOnMissingBean
  HostedProgress forebayHostedProgress(DataDirectory data) {
    return HostedProgress.inFiles(data.path().resolve("progress"));
  }
}
