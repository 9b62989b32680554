/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.operations.DataDirectory;
import io.forebay.queue.QueueBackend;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

@AutoConfiguration(afterName = "io.forebay.spring.PlatformAutoConfiguration")
@ConditionalOnProperty(name = "forebay.backend", havingValue = "kafka")
@EnableConfigurationProperties(KafkaProperties.class)
class KafkaAutoConfiguration {

  @Bean
  @ConditionalOnProperty("forebay.kafka.dev.enabled")
  DevBroker kafkaDevBroker(KafkaProperties properties, DataDirectory data) {
    return DevBroker.start(properties.dev(), data.path().resolve("broker"));
  }

  @Bean
  @ConditionalOnMissingBean(QueueBackend.class)
  KafkaBackend kafkaBackend(KafkaProperties properties, ObjectProvider<DevBroker> dev) {
    DevBroker broker = dev.getIfAvailable();
    return broker == null
        ? KafkaBackend.open(properties.options(properties.bootstrapServers()))
        : KafkaBackend.alone(properties.options(broker.bootstrap()));
  }

  @Bean
  @ConditionalOnBean(KafkaBackend.class)
  KafkaSelfCheck kafkaSelfTest(KafkaBackend backend) {
    return new KafkaSelfCheck(backend);
  }
}
