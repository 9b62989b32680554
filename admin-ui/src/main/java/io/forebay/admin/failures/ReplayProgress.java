/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of the messages of a replay so far. Each is counted once: {@code count} is the sum of
 * {@code done}, {@code failed}, {@code pending}, {@code refused}, {@code skipped} and {@link
 * #notAttempted}.
 *
 * @param done messages that were sent and took effect
 * @param failed messages that were sent and failed again
 * @param pending messages that were sent and whose outcome is not known yet
 * @param refused messages that could not be sent
 * @param skipped messages that somebody else had replayed or discarded before
 * @param ended null while it runs
 */
record ReplayProgress(
    State state,
    int count,
    int done,
    int failed,
    int pending,
    int refused,
    int skipped,
    String text,
    @Nullable Instant ended) {

  /** The state of a run. */
  enum State {
    RUNNING,
    DONE,
    STOPPED,
    FAILED
  }

  /** Of a plan that has not been run. */
  static ReplayProgress planned(int count) {
    return new ReplayProgress(State.RUNNING, count, 0, 0, 0, 0, 0, "", null);
  }

  int sent() {
    return done + failed + pending;
  }

  int attempted() {
    return sent() + refused + skipped;
  }

  int notAttempted() {
    return count - attempted();
  }

  /** All parts, for the audit. */
  String parts() {
    return "%,d performed, %,d failed again, %,d not attempted"
            .formatted(done, failed, notAttempted())
        + part(pending, "sent with unknown outcome")
        + part(refused, "could not be sent")
        + part(skipped, "already replayed or discarded");
  }

  private static String part(int count, String what) {
    return count == 0 ? "" : ", %,d %s".formatted(count, what);
  }

  ReplayProgress plus(int done, int failed, int pending, int refused, int skipped) {
    return new ReplayProgress(
        state,
        count,
        this.done + done,
        this.failed + failed,
        this.pending + pending,
        this.refused + refused,
        this.skipped + skipped,
        text,
        ended);
  }

  ReplayProgress saying(String now) {
    return new ReplayProgress(state, count, done, failed, pending, refused, skipped, now, ended);
  }

  ReplayProgress ended(State state, String text, Instant at) {
    return new ReplayProgress(state, count, done, failed, pending, refused, skipped, text, at);
  }
}
