/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.queue.stored.StoredQueues;

class MemoryResultsTest extends ResultsContract {

  @Override
  protected QueueBackend backend() {
    return MemoryBackend.open();
  }

  @Override
  protected StoredQueues stored(QueueBackend backend) {
    return ((MemoryBackend) backend).stored();
  }
}
