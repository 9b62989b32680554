/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import java.net.URI;
import java.util.Locale;

/** The types of all problem documents, {@code urn:forebay:problem:…} (RFC 9457). */
public enum ProblemType {
  INVALID_REQUEST(400, "The request is not valid"),
  MALFORMED_JSON(400, "The body is not JSON"),
  INVALID_PARAMETERS(400, "Parameters are not valid"),
  INVALID_PASSWORD(400, "The password is not valid"),
  NOT_TOGETHER(400, "These statements cannot commit together"),
  UNAUTHENTICATED(401, "Authentication required"),
  NOT_PERMITTED(403, "Permission denied"),
  NOT_FROM_THE_PAGE(403, "The request does not come from the page"),
  PASSWORD_MUST_CHANGE(403, "The password must be changed"),
  NOT_FOUND(404, "Not found"),
  UNKNOWN_STATEMENT(404, "Unknown statement"),
  UNKNOWN_RESULT(404, "Unknown result"),
  UNKNOWN_STREAM(404, "Unknown stream"),
  UNKNOWN_SERVICE(404, "There is no such service"),
  METHOD_NOT_ALLOWED(405, "Method not allowed"),
  NOT_ACCEPTABLE(406, "Not acceptable"),
  REQUEST_TIMEOUT(408, "The body did not arrive in time"),
  CONFLICT(409, "The state does not allow it"),
  RESULTS_EXPIRED(410, "The results are no longer kept"),
  TOO_LARGE(413, "The request is too large"),
  URI_TOO_LONG(414, "The address is too long"),
  UNSUPPORTED_MEDIA_TYPE(415, "The body must be JSON"),
  KEY_REUSED(422, "The idempotency key was used with another request"),
  CATALOGUE_INVALID(422, "The catalogue is not valid"),
  SERVICE_FAILED(422, "The service failed the chunk"),
  RATE_LIMIT_EXCEEDED(429, "The caller sends too fast"),
  TOO_MANY_REQUESTS(429, "Too many requests of the caller"),
  TOO_MANY_WAITING(429, "Too many requests wait for results"),
  TOO_MANY_STREAMS(429, "Too many streams are sent"),
  TOO_MANY_SUBSCRIBERS(429, "Too many subscribers"),
  TOO_MANY_BYTES(429, "Too many large requests at the same time"),
  TOO_MANY_FAILURES(429, "Too many failures"),
  QUEUE_FULL(429, "The queue is full"),
  HEADERS_TOO_LARGE(431, "The headers are too large"),
  INTERNAL_ERROR(500, "Internal error"),
  NOT_IMPLEMENTED(501, "The server does not support this"),
  UNAVAILABLE(503, "The server cannot answer now"),
  QUEUE_UNAVAILABLE(503, "The queue is unavailable"),
  OUTCOME_UNKNOWN(503, "Unknown whether the statement was accepted"),
  DATABASE_UNAVAILABLE(503, "The database does not respond"),
  STATEMENT_BROKEN(503, "The database refuses this statement"),
  CHUNK_REFUSED(503, "The service is busy"),
  VERSION_NOT_SUPPORTED(505, "The server speaks HTTP/1.1");

  private final int status;
  private final String title;
  private final URI uri;

  ProblemType(int status, String title) {
    this.status = status;
    this.title = title;
    this.uri =
        URI.create("urn:forebay:problem:" + name().toLowerCase(Locale.ROOT).replace('_', '-'));
  }

  public int status() {
    return status;
  }

  public String title() {
    return title;
  }

  public URI uri() {
    return uri;
  }
}
