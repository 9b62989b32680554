/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

/** Why a chunk was sent. */
public enum FlushReason {
  /** It reached its maximum of calls. */
  ITEMS,
  /** It reached its maximum of bytes, or the next call would have exceeded it. */
  BYTES,
  /** Every live body waited in a call, so no other call could come. */
  ALL_WAITING,
  /** Its calls had waited for the linger time while some body was busy. */
  TICKER,
  /** The collector was closed. */
  CLOSE
}
