/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.Level;
import io.forebay.queue.MessageQueueContract;
import io.forebay.queue.QueueBackend;

class DiskContractTest extends MessageQueueContract {

  private Disk disk = new Disk();

  @Override
  protected QueueBackend open() {
    disk = new Disk();
    return reopen();
  }

  @Override
  protected QueueBackend reopen() {
    return new DiskBackend(disk, Level.DISK, QueueFaults.NONE);
  }
}
