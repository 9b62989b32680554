/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.operations.DataDirectory;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.sender.SenderKeys;
import io.forebay.queue.stored.StoredQueues;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Queues on Kafka, if they are configured or no queues on disk are on the class path. */
@AutoConfiguration(
    afterName = {
      "io.forebay.spring.PlatformAutoConfiguration",
      "io.forebay.chronicle.ChronicleAutoConfiguration"
    })
@ConditionalOnProperty(name = "forebay.backend", havingValue = "kafka", matchIfMissing = true)
@ConditionalOnMissingBean(QueueBackend.class)
@EnableConfigurationProperties(KafkaProperties.class)
class KafkaAutoConfiguration {

  private static final Logger log = LoggerFactory.getLogger(KafkaAutoConfiguration.class);

  @Bean
  @ConditionalOnProperty("forebay.kafka.dev.enabled")
  DevBroker kafkaDevBroker(KafkaProperties properties, DataDirectory data) {
    return DevBroker.start(properties.dev(), data.path().resolve("broker"));
  }

  @Bean
  KafkaBackend kafkaBackend(
      KafkaProperties properties,
      ObjectProvider<DevBroker> dev,
      ObjectProvider<SenderKeys> storedKeys) {
    if (properties.trustUnproven()) {
      log.warn(
          "Senders of messages on Kafka are not checked (forebay.kafka.trust-unproven): every"
              + " program that can write to a topic can act as any caller; set it to false when"
              + " all instances are updated");
    }
    DevBroker broker = dev.getIfAvailable();
    SenderKeys stored = storedKeys.getIfAvailable(() -> SenderKeys.NONE);
    return broker == null
        ? KafkaBackend.open(properties.options(properties.bootstrapServers(), stored))
        : KafkaBackend.alone(properties.options(broker.bootstrap(), stored));
  }

  @Bean
  StoredQueues forebayStoredQueues(KafkaBackend backend) {
    return backend.stored();
  }
}
