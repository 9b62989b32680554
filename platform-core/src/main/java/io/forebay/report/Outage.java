/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A time in which the database of a service did not respond.
 *
 * @param since when the service noticed it
 * @param until when the database responded again; null while it does not
 */
public record Outage(Instant since, @Nullable Instant until) {

  public boolean isOver() {
    return until != null;
  }
}
