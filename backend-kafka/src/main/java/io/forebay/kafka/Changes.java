/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the settings of open topics periodically, since retention may be changed while they are
 * open. For one thread.
 */
final class Changes {

  static final Duration EVERY = Duration.ofMinutes(1);

  private static final Logger log = LoggerFactory.getLogger(Changes.class);

  private final Topics topics;
  private final Duration every;
  private long lookedNanos = System.nanoTime();
  private boolean told = true;

  Changes(Topics topics, Duration every) {
    this.topics = topics;
    this.every = every;
  }

  /**
   * Reads the settings if the interval has passed. A setting that cannot be read keeps its previous
   * value.
   */
  void look(List<Topic> open) {
    if (System.nanoTime() - lookedNanos < every.toNanos()) {
      return;
    }
    lookedNanos = System.nanoTime();
    try {
      topics.readAgain(open);
      told = true;
    } catch (QueueFailed | QueueUnavailable e) {
      if (told) {
        log.warn("Topic settings cannot be read: {}; the previous settings apply", e.getMessage());
      }
      told = false;
    }
  }
}
