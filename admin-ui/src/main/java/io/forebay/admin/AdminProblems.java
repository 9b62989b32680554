/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.ReplayRefused;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.problem.ProblemType;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.progress.Unavailable;
import io.forebay.text.Formats;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Converts exceptions of the admin API to problem documents (RFC 9457). */
@RestControllerAdvice(basePackageClasses = AdminProblems.class)
@Order(Ordered.HIGHEST_PRECEDENCE)
final class AdminProblems extends ApiProblems {

  private static final Logger log = LoggerFactory.getLogger(AdminProblems.class);
  private static final String RETRY_SECONDS = "5";

  @ExceptionHandler
  ResponseEntity<ProblemDetail> refused(Refused refused) {
    String field = refused.field();
    String detail = String.valueOf(refused.getMessage());
    ProblemDetail problem =
        field == null ? problem(refused.type(), detail) : invalidField(field, detail);
    refused.more().forEach(problem::setProperty);
    ResponseEntity.BodyBuilder answer = ResponseEntity.status(problem.getStatus());
    if (refused.type() == ProblemType.TOO_MANY_SUBSCRIBERS) {
      answer.header(HttpHeaders.RETRY_AFTER, RETRY_SECONDS);
    }
    return answer.body(problem);
  }

  /** An invalid id, place in a list or limit; the message contains nothing of the request. */
  @ExceptionHandler
  ResponseEntity<ProblemDetail> invalid(IllegalArgumentException e) {
    return answer(ProblemType.INVALID_REQUEST, String.valueOf(e.getMessage()));
  }

  @ExceptionHandler({ReplayRefused.class, DecisionRefused.class})
  ResponseEntity<ProblemDetail> conflict(RuntimeException e) {
    return answer(ProblemType.CONFLICT, String.valueOf(e.getMessage()));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> job(JobRefused e) {
    ProblemType type =
        switch (e.reason()) {
          case UNKNOWN -> ProblemType.NOT_FOUND;
          case INVALID_PARAMETERS -> ProblemType.INVALID_REQUEST;
          case NOT_GRANTED -> ProblemType.NOT_PERMITTED;
          case ALREADY_RUNNING, ALREADY_COMPLETE, NOT_RESTARTABLE, NOT_RUNNING, ALIVE ->
              ProblemType.CONFLICT;
        };
    return answer(type, String.valueOf(e.getMessage()));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> queue(QueueRefused e) {
    ProblemType type = e.retryAfter().isZero() ? ProblemType.CONFLICT : ProblemType.UNAVAILABLE;
    return ResponseEntity.status(type.status())
        .header(HttpHeaders.RETRY_AFTER, Long.toString(e.retryAfter().toSeconds() + 1))
        .body(problem(type, "The queue refused the message (%s).".formatted(e.reason())));
  }

  @ExceptionHandler({QueueUnavailable.class, QueueFailed.class})
  ResponseEntity<ProblemDetail> unreadable(RuntimeException e) {
    log.warn("queues could not be read: {}", e.getMessage());
    return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
        .header(HttpHeaders.RETRY_AFTER, RETRY_SECONDS)
        .body(problem(ProblemType.QUEUE_UNAVAILABLE, "Not read: %s.".formatted(e.getMessage())));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> unavailable(Unavailable e) {
    log.warn("an admin request failed: {}", e.getMessage());
    return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
        .header(HttpHeaders.RETRY_AFTER, RETRY_SECONDS)
        .body(
            problem(
                ProblemType.UNAVAILABLE,
                "Not available: %s; retry the request later."
                    .formatted(Formats.firstSentence(String.valueOf(e.getMessage())))));
  }

  private static ResponseEntity<ProblemDetail> answer(ProblemType type, String detail) {
    return ResponseEntity.status(type.status()).body(problem(type, detail));
  }
}
