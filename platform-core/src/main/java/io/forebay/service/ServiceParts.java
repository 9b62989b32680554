/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.queue.Subscription;
import io.forebay.service.errors.BlockedMessages;
import io.forebay.service.errors.CallLog;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.progress.HostedProgress;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all partitions of a service share.
 *
 * @param deadLetters stores messages whose component throws; null if such a message fails the
 *     partition
 * @param blocked the messages that keep failing
 * @param subscription of the service to its in-queue; empty in a test without one
 */
record ServiceParts<I, O>(
    String name,
    Service.End<I> in,
    Service.End<O> out,
    ComponentFactory<I, O> factory,
    ServiceOptions options,
    HostedProgress remembered,
    @Nullable DeadLetterQueue deadLetters,
    BlockedMessages blocked,
    Orders orders,
    Counts counts,
    CallLog log,
    Supplier<Optional<Subscription>> subscription,
    ServiceTime time) {

  /** Names a partition in messages and logs. */
  String place(int partition) {
    return "partition " + partition + " of service " + name + " on queue " + in.queue().name();
  }
}
