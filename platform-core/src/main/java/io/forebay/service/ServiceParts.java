/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.service.progress.HostedProgress;

/**
 * What all partitions of a service share.
 *
 * @param passed receives the position up to which a partition's messages are performed and safely
 *     answered
 */
record ServiceParts<I, O>(
    String name,
    Service.End<I> in,
    Service.End<O> out,
    ComponentFactory<I, O> factory,
    ServiceOptions options,
    HostedProgress remembered,
    Orders orders,
    Counts counts,
    Passed passed,
    WorkerTime time) {

  /** Receives a position of a partition. */
  @FunctionalInterface
  interface Passed {
    void passed(int partition, long position);
  }

  /** Names a partition in messages and logs. */
  String place(int partition) {
    return "partition " + partition + " of service " + name + " on queue " + in.queue().name();
  }
}
