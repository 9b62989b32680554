/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.own;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Runs each {@link ServiceDefinition} among the beans. */
@AutoConfiguration(
    afterName = {
      "io.forebay.queue.MemoryAutoConfiguration",
      "io.forebay.chronicle.ChronicleAutoConfiguration"
    })
class OwnServiceAutoConfiguration {

  @Bean
  static OwnServices ownServices() {
    return new OwnServices();
  }
}
