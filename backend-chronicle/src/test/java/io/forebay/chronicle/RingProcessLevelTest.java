/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.Level;
import io.forebay.queue.MessageQueueContract;
import io.forebay.queue.QueueBackend;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract with messages in rings that are small enough to be full at times. */
final class RingProcessLevelTest extends MessageQueueContract {

  @TempDir Path data;

  @Override
  protected QueueBackend open() {
    return ChronicleBackend.open(data.resolve("d"), Rig.ringOptions(Level.PROCESS, data));
  }

  @Override
  protected QueueBackend reopen() {
    return open();
  }
}
