/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

/**
 * The outcomes of several messages take more than {@link Batch#KEPT_BYTES}: the batch must be
 * rolled back and performed in parts. Never thrown for a single message.
 */
public final class ResultsFull extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final long position;

  /**
   * @param position of the message whose outcomes are too much
   */
  public ResultsFull(long position) {
    super(null, null, false, false);
    this.position = position;
  }

  public long position() {
    return position;
  }
}
