/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.local;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.Subscription;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscription to a queue that only this process uses. It owns every partition from {@link
 * #start} until it is closed. Thread-safe.
 */
public final class LocalSubscription implements Subscription {

  private static final Logger log = LoggerFactory.getLogger(LocalSubscription.class);

  private final MessageQueue queue;
  private final String consumer;
  private final PartitionListener listener;
  private final Passed passed;
  private final Consumer<LocalSubscription> onLeft;
  private int assigned;
  private boolean leaving;
  private volatile boolean left;

  /** Stores how far a consumer has read. */
  @FunctionalInterface
  public interface Passed {
    void passed(String consumer, int partition, long position);
  }

  /**
   * @param onLeft called once, after all partitions were revoked
   */
  public LocalSubscription(
      MessageQueue queue,
      String consumer,
      PartitionListener listener,
      Passed passed,
      Consumer<LocalSubscription> onLeft) {
    this.queue = queue;
    this.consumer = consumer;
    this.listener = listener;
    this.passed = passed;
    this.onLeft = onLeft;
  }

  /**
   * Assigns all partitions. If the listener throws, the subscription is closed.
   *
   * @throws IllegalStateException if it was closed meanwhile
   */
  public synchronized void start() {
    if (left) {
      throw new IllegalStateException(
          "%s was closed; consumer %s is not subscribed".formatted(queue, consumer));
    }
    try {
      for (; !leaving && assigned < queue.partitions(); assigned++) {
        listener.assigned(assigned);
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  @Override
  public String consumer() {
    return consumer;
  }

  @Override
  public void passed(int partition, long position) {
    if (left) {
      throw new IllegalStateException(
          "consumer %s has left %s; it must subscribe again first".formatted(consumer, queue));
    }
    passed.passed(consumer, partition, position);
  }

  /** Revokes all partitions, even if the listener throws. */
  @Override
  public synchronized void close() {
    if (leaving) {
      return; // closed before, or a listener closes it while its partition is revoked
    }
    leaving = true;
    while (assigned > 0) {
      assigned--;
      try {
        listener.revoked(assigned);
      } catch (RuntimeException | Error e) {
        log.error(
            "Consumer {} failed while partition {} of {} was revoked; the partition is revoked anyway",
            consumer,
            assigned,
            queue,
            e);
      }
    }
    left = true;
    onLeft.accept(this);
  }
}
