/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.MessageQueueContract;
import io.forebay.queue.QueueBackend;
import java.util.UUID;

final class KafkaBackendTest extends MessageQueueContract {

  private String prefix = "";

  @Override
  protected QueueBackend open() {
    prefix = UUID.randomUUID() + ".";
    return reopen();
  }

  @Override
  protected QueueBackend reopen() {
    return KafkaBackend.open(KafkaBackend.Options.of(TestBroker.shared()).withPrefix(prefix));
  }
}
