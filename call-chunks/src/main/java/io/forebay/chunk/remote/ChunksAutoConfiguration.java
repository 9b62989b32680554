/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Runs each {@link ListService} bean between two queues of the active backend. */
@AutoConfiguration(
    afterName = {
      "io.forebay.spring.MemoryAutoConfiguration",
      "io.forebay.chronicle.ChronicleAutoConfiguration",
      "io.forebay.kafka.KafkaAutoConfiguration"
    })
class ChunksAutoConfiguration {

  @Bean
  static QueuedServices forebayQueuedServices() {
    return new QueuedServices();
  }
}
