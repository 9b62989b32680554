/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/** The contract, on the memory backend. */
final class MemoryBackendTest extends MessageQueueContract {

  @Override
  protected QueueBackend open() {
    return MemoryBackend.open();
  }

  @Override
  protected QueueBackend reopen() {
    return open();
  }
}
