/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.problem.StatusProblem;
import java.util.Locale;

/** What can be wrong with a request, as {@code urn:forebay:problem:…} (RFC 9457). */
enum ProblemType {
  INVALID_REQUEST(400, "The request is not valid"),
  MALFORMED_JSON(400, "The body is not JSON"),
  INVALID_PARAMETERS(400, "Parameters are not valid"),
  NOT_TOGETHER(400, "These statements cannot commit together"),
  UNAUTHENTICATED(401, "Nobody is logged in"),
  NOT_PERMITTED(403, "This caller may not do that"),
  NOT_FOUND(404, "There is nothing here"),
  UNKNOWN_STATEMENT(404, "There is no such statement"),
  UNKNOWN_RESULT(404, "There is no such result"),
  METHOD_NOT_ALLOWED(405, "This method is not for this resource"),
  NOT_ACCEPTABLE(406, "The answer is JSON"),
  TOO_LARGE(413, "The request is too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "The body must be JSON"),
  KEY_REUSED(422, "The idempotency key was used with another request"),
  CATALOGUE_INVALID(422, "The catalogue has faults"),
  TOO_MANY_WAITING(429, "Too many requests wait for results"),
  TOO_MANY_BYTES(429, "Too many large requests are on their way"),
  QUEUE_FULL(429, "The queue is full"),
  INTERNAL_ERROR(500, "Something went wrong here"),
  QUEUE_UNAVAILABLE(503, "The queue takes nothing now"),
  OUTCOME_UNKNOWN(503, "Whether the statement was accepted is not known"),
  DATABASE_UNAVAILABLE(503, "The database does not answer"),
  STATEMENT_BROKEN(503, "The database would not perform this statement");

  private final int status;
  private final String title;

  ProblemType(int status, String title) {
    this.status = status;
    this.title = title;
  }

  int status() {
    return status;
  }

  String title() {
    return title;
  }

  String uri() {
    return StatusProblem.TYPE + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
