/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Messages to be replayed, set aside, reopened or discarded together, frozen when the plan was
 * made. Those that were already replayed {@value #GUARDED} times are listed separately: only
 * administrators may replay them again, to prevent endless replays.
 *
 * @param cause of all messages; null if they were selected without it
 * @param what the error of the first one in words; null if there is none
 * @param target the target in the audit
 * @param ids the messages that an operator may replay
 * @param overReplays the messages that only an administrator may replay
 * @param expires when it can no longer be run
 */
record ReplayPlan(
    String id,
    String service,
    String error,
    Failures.@Nullable Cause cause,
    @Nullable String what,
    String target,
    List<String> ids,
    List<String> overReplays,
    Instant expires) {

  static final int GUARDED = 3;

  static boolean isOver(Failure failure) {
    return failure.replays() >= GUARDED;
  }

  /** Whether it may be replayed: it is open or set aside. */
  static boolean isWaiting(Failure failure) {
    return failure.state() == Failure.State.OPEN || failure.state() == Failure.State.SET_ASIDE;
  }

  List<String> all() {
    return Stream.concat(ids.stream(), overReplays.stream()).toList();
  }

  /** What a command changes of so many messages, for the audit. */
  static Audit.Change change(int messages, String after) {
    return Audit.Change.of("messages", String.format(Locale.ROOT, "%,d waiting", messages), after);
  }
}
