/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/**
 * The guarantees of a queue.
 *
 * @param strongest the level at which it acknowledges
 * @param contiguous whether positions have no gaps, except those made by {@link
 *     MessageQueue#skipTo}
 * @param maxMessageBytes the largest message it accepts
 */
public record Capabilities(Level strongest, boolean contiguous, int maxMessageBytes) {

  /** The limit of every backend, so that every message fits after a switch of backends. */
  public static final int MAX_MESSAGE_BYTES = 1 << 20;
}
