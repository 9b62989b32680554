/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.FieldError;
import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import io.forebay.queue.QueueRefused;
import java.util.List;
import java.util.Locale;

/** Problem documents that several endpoints of the door answer with. */
final class DoorProblems {

  private DoorProblems() {}

  static HttpProblem invalidParameters(List<FieldError> errors) {
    return new HttpProblem(
            ProblemType.INVALID_PARAMETERS,
            errors.size() == 1
                ? "One field is not valid; nothing was accepted"
                : errors.size() + " fields are not valid; nothing was accepted")
        .with("errors", errors);
  }

  static HttpProblem refused(QueueRefused refused) {
    return refused(refused, "nothing was accepted; retry later");
  }

  /**
   * @param later what the sender may do when the reason is gone
   */
  static HttpProblem refused(QueueRefused refused, String later) {
    return switch (refused.reason()) {
      case FULL ->
          new HttpProblem(ProblemType.QUEUE_FULL, "The queue has reached its limit; " + later)
              .retryAfter(refused.retryAfter());
      case TOO_LARGE ->
          new HttpProblem(
              ProblemType.TOO_LARGE,
              "The statement exceeds the maximum message size; nothing was accepted");
      case DISK -> unavailable(refused, "The disk of the queue has reached its limit; " + later);
      case UNAVAILABLE ->
          unavailable(refused, "The server of the queue does not respond; " + later);
      case CLOSED -> unavailable(refused, "The queue is being closed or drained; " + later);
      case FAILED ->
          unavailable(
              refused,
              "The queue failed and nothing was accepted; an operator must repair it: "
                  + refused.getMessage());
    };
  }

  private static HttpProblem unavailable(QueueRefused refused, String detail) {
    return new HttpProblem(ProblemType.QUEUE_UNAVAILABLE, detail)
        .with("reason", refused.reason().name().toLowerCase(Locale.ROOT))
        .retryAfter(refused.retryAfter());
  }
}
