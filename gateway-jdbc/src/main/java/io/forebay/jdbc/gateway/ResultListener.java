/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.Message;
import java.nio.ByteBuffer;

/**
 * Learns of all results that a {@link StatementClient} reads from the out-queue, whoever sent the
 * statements. Its thread calls all methods, so they must return quickly and must not throw.
 */
public interface ResultListener {

  /** Does nothing. */
  ResultListener NONE = new ResultListener() {};

  /**
   * The results passed next are those from this position on. It is where the last call ended,
   * except at the first time, and if reading failed or results were deleted before they were read.
   */
  default void begins(int partition, long position) {}

  /**
   * @param position of the result in the out-queue
   * @param bytes valid only during the call
   */
  default void result(int partition, long position, Message result, ByteBuffer bytes) {}

  /** All results before this position were passed. */
  default void ends(int partition, long position) {}

  /** Nothing more will be passed. */
  default void closed() {}
}
