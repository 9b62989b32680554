/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Messages to be replayed, set aside, reopened or discarded together, frozen when the plan was
 * made. Those that were already replayed {@value #GUARDED} times are listed separately: only
 * administrators may replay them again, to prevent endless replays.
 *
 * @param target the target in the audit
 * @param ids the messages that an operator may replay
 * @param overReplays the messages that only an administrator may replay
 * @param expires when it can no longer be run
 */
record ReplayPlan(
    String id,
    Group group,
    String target,
    List<String> ids,
    List<String> overReplays,
    Instant expires) {

  static final int GUARDED = 3;

  ReplayPlan {
    ids = List.copyOf(ids);
    overReplays = List.copyOf(overReplays);
  }

  static boolean isOver(Failure failure) {
    return failure.replays() >= GUARDED;
  }

  /** Whether it may be replayed: it is open or set aside. */
  static boolean isWaiting(Failure failure) {
    return failure.state() == Failure.State.OPEN || failure.state() == Failure.State.SET_ASIDE;
  }

  int count() {
    return ids.size() + overReplays.size();
  }

  List<String> all() {
    return Stream.concat(ids.stream(), overReplays.stream()).toList();
  }

  /** What a command changes of its messages, for the audit. */
  Audit.Change change(String after) {
    return ReplayRun.change(count(), after);
  }

  /**
   * The group that was selected.
   *
   * @param cause null for all
   */
  record Group(
      String service, String error, Failures.@Nullable Cause cause, @Nullable String what) {}

  /**
   * An order to run the plan.
   *
   * @param perSecond messages replayed per second
   * @param stopAfterFailures the run stops after so many consecutive failures
   */
  record Order(Actor actor, String reason, double perSecond, int stopAfterFailures) {}
}
