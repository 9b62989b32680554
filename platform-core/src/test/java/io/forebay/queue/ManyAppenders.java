/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Uses appenders as requests do that open a writer each. */
public final class ManyAppenders {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private ManyAppenders() {}

  /** Opens appenders one after the other, appends one message with each, and closes it. */
  public static void use(MessageQueue queue, int count) throws Exception {
    for (int i = 1; i <= count; i++) {
      try (Appender appender = queue.appender()) {
        append(appender);
        if (i % 1_000 == 0) {
          appender.await(PATIENCE);
        }
      }
    }
  }

  private static void append(Appender appender) {
    while (true) {
      try {
        appender.append(0, ByteBuffer.allocate(10));
        return;
      } catch (QueueRefused e) {
        if (e.reason() != QueueRefused.Reason.FULL) {
          throw e;
        }
        LockSupport.parkNanos(e.retryAfter().toNanos());
      }
    }
  }
}
