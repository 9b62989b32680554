/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.operations.DataDirectory;
import io.forebay.queue.stored.StoredQueues;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** For a process that only reads queues; no part of a service. */
@AutoConfiguration(afterName = "io.forebay.spring.PlatformAutoConfiguration")
@ConditionalOnProperty(name = "forebay.backend", havingValue = "chronicle", matchIfMissing = true)
class StoredQueuesConfiguration {

  @Bean
  StoredQueues chronicleStoredQueues(DataDirectory data) {
    return new ChronicleStoredQueues(data.path());
  }
}
