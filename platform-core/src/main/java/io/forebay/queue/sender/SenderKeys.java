/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.sender;

import io.forebay.queue.QueueUnavailable;
import java.util.List;

/**
 * The secret keys that only the instances of a service have: with them they prove to each other
 * which messages they wrote. Thread-safe.
 */
@FunctionalInterface
public interface SenderKeys {

  /** No keys: no message is proven. */
  SenderKeys NONE = List::of;

  /**
   * Returns the same keys each time: proofs are made with the first one, and accepted from each.
   *
   * @throws QueueUnavailable if they cannot be read now; retry later
   */
  List<String> keys();
}
