/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.SqlFailure;

/**
 * Why the message at a position could not be decoded.
 *
 * @param hasId whether its id is known, so that it can be answered
 */
public record DeadLetter(long position, String reason, String detail, boolean hasId) {

  Outcome outcome() {
    return hasId
        ? new Outcome.Failed(new SqlFailure("HY000", 0, SqlFailure.Kind.UNDECODABLE, detail), false)
        : Outcome.UNANSWERED;
  }
}
