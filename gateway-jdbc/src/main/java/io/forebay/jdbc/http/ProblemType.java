/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.problem.StatusProblem;
import java.util.Locale;

/** The problem types of the HTTP door, {@code urn:forebay:problem:…} (RFC 9457). */
enum ProblemType {
  INVALID_REQUEST(400, "The request is not valid"),
  MALFORMED_JSON(400, "The body is not JSON"),
  INVALID_PARAMETERS(400, "Parameters are not valid"),
  NOT_TOGETHER(400, "These statements cannot commit together"),
  UNAUTHENTICATED(401, "Authentication required"),
  NOT_PERMITTED(403, "Permission denied"),
  NOT_FOUND(404, "Not found"),
  UNKNOWN_STATEMENT(404, "Unknown statement"),
  UNKNOWN_RESULT(404, "Unknown result"),
  METHOD_NOT_ALLOWED(405, "Method not allowed"),
  NOT_ACCEPTABLE(406, "Not acceptable"),
  TOO_LARGE(413, "The request is too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "The body must be JSON"),
  KEY_REUSED(422, "The idempotency key was used with another request"),
  CATALOGUE_INVALID(422, "The catalogue is not valid"),
  TOO_MANY_WAITING(429, "Too many requests wait for results"),
  TOO_MANY_BYTES(429, "Too many large requests are on their way"),
  QUEUE_FULL(429, "The queue is full"),
  INTERNAL_ERROR(500, "Internal error"),
  QUEUE_UNAVAILABLE(503, "The queue is unavailable"),
  OUTCOME_UNKNOWN(503, "Unknown whether the statement was accepted"),
  DATABASE_UNAVAILABLE(503, "The database does not respond"),
  STATEMENT_BROKEN(503, "The database refuses this statement");

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
