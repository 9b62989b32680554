/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.operations.Actor;
import io.forebay.operations.Failure;
import java.time.Instant;
import java.util.List;

/**
 * Messages that are meant to be sent again, as they were when somebody looked. Those that were sent
 * {@value #GUARDED} times already are apart: to send them once more is for administrators, so that
 * nobody goes around in circles.
 *
 * @param target what the audit says it is about
 * @param ids those that may be sent again by an operator
 * @param overReplays those that may not
 * @param expires when it can no longer be run
 */
record ReplayPlan(
    String id,
    Kind kind,
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

  int count() {
    return ids.size() + overReplays.size();
  }

  /**
   * A wish to run it.
   *
   * @param perSecond how many are sent in a second
   * @param stopAfterFailures how many in a row may fail again
   */
  record Order(Actor actor, String reason, double perSecond, int stopAfterFailures) {}
}
