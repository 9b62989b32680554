/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.own;

import io.forebay.operations.DataDirectory;
import io.forebay.service.HostedProgress;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Runs each {@link ServiceDefinition} among the beans. */
@AutoConfiguration(
    afterName = {
      "io.forebay.queue.MemoryAutoConfiguration",
      "io.forebay.chronicle.ChronicleAutoConfiguration",
      "io.forebay.jdbc.system.SystemAutoConfiguration"
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
