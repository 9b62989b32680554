/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import org.junit.jupiter.api.Nested;

/**
 * The contract of every backend, as tests. A backend runs them in a small subclass; the tests
 * require what its {@link Capabilities} declare.
 *
 * <pre>{@code
 * final class ChronicleBackendTest extends MessageQueueContract {
 *   @TempDir Path directory;
 *
 *   @Override
 *   protected QueueBackend open() {
 *     return ChronicleBackend.open(directory);
 *   }
 *
 *   @Override
 *   protected QueueBackend reopen() {
 *     return open();
 *   }
 * }
 * }</pre>
 */
public abstract class MessageQueueContract {

  /** A backend with nothing stored. Called once per test; the suite closes it. */
  protected abstract QueueBackend open();

  /**
   * A backend over what the last one of this test stored before it was closed, as after a restart;
   * an empty one if nothing survives. The suite closes it.
   */
  protected abstract QueueBackend reopen();

  @Nested
  class Appending extends AppendingContract {
    Appending() {
      super(MessageQueueContract.this);
    }
  }

  @Nested
  class Acknowledging extends AcknowledgingContract {
    Acknowledging() {
      super(MessageQueueContract.this);
    }
  }

  @Nested
  class Reading extends ReadingContract {
    Reading() {
      super(MessageQueueContract.this);
    }
  }

  @Nested
  class Subscribing extends SubscribingContract {
    Subscribing() {
      super(MessageQueueContract.this);
    }
  }

  @Nested
  class Living extends LivingContract {
    Living() {
      super(MessageQueueContract.this);
    }
  }

  @Nested
  class Working extends WorkingContract {
    Working() {
      super(MessageQueueContract.this);
    }
  }
}
