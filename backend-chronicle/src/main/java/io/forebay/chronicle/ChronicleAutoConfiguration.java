/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.operations.DataDirectory;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.stored.StoredQueues;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

@AutoConfiguration(afterName = "io.forebay.spring.PlatformAutoConfiguration")
@ConditionalOnProperty(name = "forebay.backend", havingValue = "chronicle", matchIfMissing = true)
@EnableConfigurationProperties(ChronicleProperties.class)
class ChronicleAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(QueueBackend.class)
  ChronicleBackend forebayChronicleBackend(DataDirectory data, ChronicleProperties properties) {
    return ChronicleBackend.open(data.path(), properties.options());
  }

  @Bean
  @ConditionalOnBean(ChronicleBackend.class)
  StoredQueues forebayStoredQueues(DataDirectory data) {
    return new ChronicleStoredQueues(data.path());
  }
}
