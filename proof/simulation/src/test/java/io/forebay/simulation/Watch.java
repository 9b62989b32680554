/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.Message;
import java.util.Set;

/**
 * Watches a component of a partition: it performs messages in order, and none that was answered
 * before. For the thread of the partition.
 */
final class Watch {

  private final ServiceHistory history;
  private final String service;
  private final int partition;
  private final long answeredBefore;

  /** The positions of messages that are dead letters. */
  private final Set<Long> buried;

  private long last = -1;
  private boolean unfinished;

  Watch(ServiceHistory history, String service, int partition) {
    this.history = history;
    this.service = service;
    this.partition = partition;
    history.opened(service, partition);
    this.answeredBefore = history.answered(service, partition);
    this.buried = history.letters(service, partition).keySet();
  }

  /**
   * The current message is being performed. On shared queues another instance may have answered
   * what this one has begun; it is fenced then.
   *
   * @return the turn
   */
  long performs(long number) {
    Message message = Message.current();
    long position = message.position();
    long answered = history.plan.shared() ? answeredBefore : history.answered(service, partition);
    if (position <= answered || position < last || (position == last && !unfinished)) {
      history.violated(
          "performed again: call %d at %d/%d of %s, although %d is answered",
          number, partition, position, service, Math.max(answered, last));
    }
    if (buried.contains(position)) {
      history.violated(
          "performed again: call %d at %d/%d of %s, although it is a dead letter",
          number, partition, position, service);
    }
    last = position;
    unfinished = true;
    return history.performed(service, number, message);
  }

  /** The component performs another answer of the same message. */
  void continues() {
    unfinished = true;
  }

  /** The component has not thrown; until then, the message may be performed again. */
  void done() {
    unfinished = false;
  }
}
