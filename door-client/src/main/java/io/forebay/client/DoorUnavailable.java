/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.io.Serial;

/**
 * The door did not answer, although the request was retried, or its certificate is not trusted.
 * What was sent may have been accepted or not; to send it again safely, use the same idempotency
 * key, or resume the stream.
 */
public final class DoorUnavailable extends RuntimeException {

  @Serial private static final long serialVersionUID = 1;

  DoorUnavailable(String message, Throwable cause) {
    super(message, cause);
  }
}
