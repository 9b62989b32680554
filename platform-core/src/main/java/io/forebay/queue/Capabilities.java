/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/**
 * What a queue can promise.
 *
 * @param strongest the level at which it acknowledges
 * @param retention when it deletes messages
 * @param contiguous whether positions have no gaps, but for those of {@link MessageQueue#skipTo}
 * @param maxMessageBytes the largest message it takes
 */
public record Capabilities(
    Level strongest, Retention retention, boolean contiguous, int maxMessageBytes) {

  /**
   * The largest message on every backend, so that a switch of backends never meets one too large.
   */
  public static final int MAX_MESSAGE_BYTES = 1 << 20;
}
