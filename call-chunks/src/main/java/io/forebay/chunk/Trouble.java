/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import org.jspecify.annotations.Nullable;

/** Why calls got no result; each caller makes its own exception from it. */
record Trouble(CallFailed.Reason reason, String message, @Nullable Throwable cause) {

  static Trouble of(CallFailed.Reason reason, String message) {
    return new Trouble(reason, message, null);
  }
}
