/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import org.jspecify.annotations.Nullable;

/**
 * A service's reply to one call of a chunk. The index identifies the call, counted from 0 in the
 * order of the arguments, so replies may come in any order.
 */
public sealed interface Reply<R extends @Nullable Object> {

  /** The index of the call in its chunk. */
  int index();

  /** The call's result. */
  record Result<R extends @Nullable Object>(int index, R value) implements Reply<R> {}

  /**
   * The service failed this call and did not perform it; the other calls of the chunk have their
   * own replies.
   *
   * @param failure the cause of the exception that the caller gets
   */
  record Failure<R extends @Nullable Object>(int index, Exception failure) implements Reply<R> {}
}
