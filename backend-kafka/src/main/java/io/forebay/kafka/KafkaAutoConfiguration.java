/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueBackend;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

@AutoConfiguration(afterName = "io.forebay.operations.PlatformAutoConfiguration")
@ConditionalOnProperty(name = "forebay.backend", havingValue = "kafka")
@EnableConfigurationProperties(KafkaProperties.class)
class KafkaAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(QueueBackend.class)
  KafkaBackend kafkaBackend(KafkaProperties properties) {
    return KafkaBackend.open(properties.options());
  }
}
