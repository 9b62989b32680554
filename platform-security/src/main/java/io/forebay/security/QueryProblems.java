/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.admin.ApiProblems;
import io.forebay.problem.ProblemType;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Converts Tomcat's refusal of a query to a problem document (RFC 9457). */
@RestControllerAdvice("io.forebay")
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class QueryProblems {

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
