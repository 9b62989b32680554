/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

/** Why a chunk left when it did. */
public enum FlushReason {
  /** It held as many calls as a chunk may. */
  ITEMS,
  /** The next call would have made it larger than a chunk may be, or it was exactly as large. */
  BYTES,
  /** Every live body waited in a call, so no other call could come. */
  ALL_WAITING,
  /** Its calls had waited for the linger time while some body did something else. */
  TICKER,
  /** The collector was closed. */
  CLOSE
}
