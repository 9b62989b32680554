/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.MessageQueueContract;
import io.forebay.queue.QueueBackend;

class ClusterContractTest extends MessageQueueContract {

  private Cluster cluster = new Cluster();

  @Override
  protected QueueBackend open() {
    cluster = new Cluster();
    return reopen();
  }

  @Override
  protected QueueBackend reopen() {
    return new ClusterBackend(cluster, ClusterFaults.NONE);
  }
}
