/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.TooManyLogins;
import io.forebay.admin.ApiProblems;
import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import io.forebay.security.TokenRequest.Invalid;
import io.forebay.service.progress.Unavailable;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Converts exceptions of Forebay's controllers to problem documents (RFC 9457). */
@RestControllerAdvice("io.forebay")
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class ExceptionProblems extends ApiProblems {

  private static final Logger log = LoggerFactory.getLogger(ExceptionProblems.class);

  private static final String RETRY_SECONDS = "5";

  @ExceptionHandler
  ResponseEntity<ProblemDetail> unavailable(Unavailable failure, HttpServletRequest request) {
    log.warn("a request was refused: {}", failure.getMessage());
    return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
        .header("Retry-After", RETRY_SECONDS)
        .body(
            request.getMethod().equals("GET")
                ? Problems.notReadNow()
                : Problems.systemDatabaseAway());
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> tooMany(TooManyLogins failure, HttpServletRequest request) {
    RefusalFilter.noteRefusal(request, HttpStatus.TOO_MANY_REQUESTS);
    return ResponseEntity.status(HttpStatus.TOO_MANY_REQUESTS)
        .header("Retry-After", Long.toString(failure.retryAfter().toSeconds() + 1))
        .body(
            ApiProblems.problem(
                ProblemType.TOO_MANY_FAILURES, failure.getMessage() + "; retry later."));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> other(HttpProblem failure) {
    return ResponseEntity.status(failure.status()).body(ApiProblems.problem(failure));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> invalid(Invalid failure) {
    List<Map<String, String>> errors =
        failure.fields().stream()
            .map(field -> Map.of("field", "/" + field.path(), "message", field.detail()))
            .toList();
    ProblemDetail problem =
        ApiProblems.problem(
            ProblemType.INVALID_PARAMETERS,
            errors.size() == 1
                ? "One field is not valid; nothing was done"
                : errors.size() + " fields are not valid; nothing was done");
    problem.setProperty("errors", errors);
    return ResponseEntity.badRequest().body(problem);
  }

  /** Converts Tomcat's refusal of a query to a problem document (RFC 9457). */
  @RestControllerAdvice("io.forebay")
  @Order(Ordered.HIGHEST_PRECEDENCE + 1)
  static final class OfQueries {

    /** A query that cannot be decoded or has too many parameters. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> query(InvalidParameterException failure) {
      return ResponseEntity.badRequest()
          .body(
              ApiProblems.problem(
                  ProblemType.INVALID_REQUEST,
                  "The query cannot be decoded (expected name=value pairs in UTF-8, percent-encoded)"));
    }
  }
}
