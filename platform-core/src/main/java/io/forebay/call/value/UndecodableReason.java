/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

/** Why a message cannot be decoded. */
public enum UndecodableReason {
  /** It is not CBOR or does not have the structure of the format. */
  MALFORMED,
  /** This reader does not know its format version. */
  UNKNOWN_VERSION,
  /** It calls a method that the protocol does not have. */
  UNKNOWN_METHOD,
  /** A call has more or fewer arguments than its method. */
  WRONG_ARITY,
  /** The type of an argument does not match its parameter or is unknown to the format. */
  WRONG_TYPE,
  /** It names a class under an alias that is not registered. */
  UNKNOWN_ALIAS
}
