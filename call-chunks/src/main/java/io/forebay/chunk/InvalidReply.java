/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

/** The replies cannot be matched to the calls of the chunk. */
final class InvalidReply extends Exception {

  private static final long serialVersionUID = 1;

  InvalidReply(String message) {
    super(message);
  }
}
