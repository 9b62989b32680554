/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.hosting.ResultsContract;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.stored.StoredQueues;
import java.util.UUID;

class KafkaResultsTest extends ResultsContract {

  @Override
  protected QueueBackend backend() {
    return KafkaBackend.open(
        KafkaBackend.Options.of(TestBroker.shared()).withPrefix(UUID.randomUUID() + "."));
  }

  @Override
  protected StoredQueues stored(QueueBackend backend) {
    return ((KafkaBackend) backend).stored();
  }
}
