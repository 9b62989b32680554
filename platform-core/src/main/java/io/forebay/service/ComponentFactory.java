/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.util.OptionalLong;

/**
 * Creates the component of one partition, on that partition's thread.
 *
 * @param <I> the protocol it implements
 * @param <O> the protocol it answers with
 */
@FunctionalInterface
public interface ComponentFactory<I, O> {

  /**
   * @param answers writes to the out-queue; every call answers the message that is current
   * @throws io.forebay.service.progress.Unavailable if something that it needs is unavailable; the
   *     factory is called again
   */
  I create(int partition, O answers);

  /**
   * The progress of a partition that another instance works on, if its components store it where
   * this instance can read it. Must not block.
   *
   * @param first the first position that the in-queue still has
   * @return empty if it is unknown
   */
  default OptionalLong progress(int partition, OptionalLong first) {
    return OptionalLong.empty();
  }
}
