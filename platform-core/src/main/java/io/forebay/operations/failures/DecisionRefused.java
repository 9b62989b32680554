/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import io.forebay.operations.Audit;

/** A message was not set aside, reopened or discarded, for the reason in the message. */
public final class DecisionRefused extends RuntimeException implements Audit.Refusal {

  private static final long serialVersionUID = 1;

  public DecisionRefused(String message) {
    super(message);
  }

  /** As many messages of the service are set aside as may be. */
  public static DecisionRefused full(String service) {
    return new DecisionRefused(
        "too many messages of %s are set aside (limit=%,d); replay, reopen or discard some of them first; nothing was changed"
            .formatted(service, Failures.MAX_SET_ASIDE));
  }
}
