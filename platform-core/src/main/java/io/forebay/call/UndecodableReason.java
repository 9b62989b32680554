/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

/** What is wrong with it. */
public enum UndecodableReason {
  /** It is not CBOR, or not put together as the format says. */
  MALFORMED,
  /** It is of a version of the format that this reader does not know. */
  UNKNOWN_VERSION,
  /** It calls a method that the protocol does not have. */
  UNKNOWN_METHOD,
  /** A call has more or fewer arguments than its method. */
  WRONG_ARITY,
  /** An argument is not of the type that its parameter takes, or of none that messages have. */
  WRONG_TYPE,
  /** It names a class under an alias that is not registered. */
  UNKNOWN_ALIAS
}
