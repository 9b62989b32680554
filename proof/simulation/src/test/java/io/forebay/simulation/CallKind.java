/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a call of a history does, and its only right answer. */
enum CallKind {
  /** Is answered once. */
  NOTE(1),
  /** Is answered twice, in one message. */
  TWICE(2),
  /** Has no answer, so its message is empty. */
  QUIET(0),
  /** Has a result. */
  ASK(0),
  /** Fails, and becomes a dead letter. */
  FAIL(0),
  /** Fails twice, and then succeeds. */
  STUMBLE(1),
  /** Is declined. */
  DECLINE(0);

  private final int answers;

  CallKind(int answers) {
    this.answers = answers;
  }

  /** How often the answer says that it was noted. */
  int answers() {
    return answers;
  }

  /** Whether it is answered with a failure. */
  boolean fails() {
    return this == FAIL || this == DECLINE;
  }

  /** Calls a service; returns the future of the result, if the call has one. */
  @Nullable CompletableFuture<Long> call(Work calls, long number) {
    switch (this) {
      case NOTE -> calls.note(number);
      case TWICE -> calls.twice(number);
      case QUIET -> calls.quiet(number);
      case ASK -> {
        return calls.ask(number);
      }
      case FAIL -> calls.fail(number);
      case STUMBLE -> calls.stumble(number);
      case DECLINE -> calls.decline(number);
    }
    return null;
  }
}
