/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.hosting.ResultsContract;
import io.forebay.queue.QueueBackend;
import java.util.UUID;

class KafkaResultsTest extends ResultsContract {

  @Override
  protected QueueBackend backend() {
    return KafkaBackend.open(
        KafkaBackend.Options.of(TestBroker.shared().bootstrap())
            .withPrefix(UUID.randomUUID() + "."));
  }
}
