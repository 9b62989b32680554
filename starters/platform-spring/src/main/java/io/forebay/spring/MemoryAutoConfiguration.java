/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.queue.stored.StoredQueues;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Queues in memory, if they are configured or no other backend is on the class path. */
@AutoConfiguration(
    afterName = {
      "io.forebay.chronicle.ChronicleAutoConfiguration",
      "io.forebay.kafka.KafkaAutoConfiguration"
    })
@ConditionalOnProperty(name = "forebay.backend", havingValue = "memory", matchIfMissing = true)
class MemoryAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(QueueBackend.class)
  MemoryBackend forebayMemoryBackend() {
    return MemoryBackend.open();
  }

  @Bean
  @ConditionalOnBean(MemoryBackend.class)
  StoredQueues forebayStoredQueues(MemoryBackend backend) {
    return backend.stored();
  }
}
