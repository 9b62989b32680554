/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import org.junit.jupiter.api.Nested;

/**
 * What every backend must do, as tests. A backend runs them by a small subclass; where its {@link
 * Capabilities} differ, the tests ask for what those declare.
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
   * A backend over what the last one of this test left behind when it was closed, as after a
   * restart; an empty one where nothing survives. The suite closes it.
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
