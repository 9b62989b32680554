/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.problem;

import java.net.SocketTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The problem (RFC 9457) of a status, for requests that the server refuses before they reach
 * Forebay's own code. Immutable.
 *
 * @param name the last part of the problem type
 */
public record StatusProblem(int status, String name, String title, String detail) {

  /** The prefix of every problem type. */
  public static final String TYPE = "urn:forebay:problem:";

  public static final int REQUEST_TIMEOUT = 408;

  /**
   * @param status 400 or more
   */
  public static StatusProblem of(int status) {
    return switch (status) {
      case 401 ->
          new StatusProblem(
              401,
              "unauthenticated",
              "Authentication required",
              "Send the request with credentials");
      case 403 ->
          new StatusProblem(
              403,
              "not-permitted",
              "Permission denied",
              "The role or the grants of the caller do not allow it");
      case 404 -> new StatusProblem(404, "not-found", "Not found", "No resource has this path");
      case 405 ->
          new StatusProblem(
              405,
              "method-not-allowed",
              "Method not allowed",
              "The header Allow lists the allowed methods");
      case 406 ->
          new StatusProblem(
              406, "not-acceptable", "Not acceptable", "The response is application/json");
      case REQUEST_TIMEOUT -> requestTimeout();
      case 413 ->
          new StatusProblem(
              413, "too-large", "The request is too large", "The body exceeds the limit");
      case 414 ->
          new StatusProblem(
              414, "uri-too-long", "The address is too long", "The request line is too long");
      case 415 ->
          new StatusProblem(
              415,
              "unsupported-media-type",
              "The body must be JSON",
              "The Content-Type must be application/json");
      case 431 ->
          new StatusProblem(
              431,
              "headers-too-large",
              "The headers are too large",
              "Request line and headers exceed the limit");
      case 501 ->
          new StatusProblem(
              501,
              "not-implemented",
              "The server does not support this",
              "The server does not support the method or the transfer coding");
      case 503 ->
          new StatusProblem(
              503, "unavailable", "The server cannot answer now", "Retry the request later");
      case 505 ->
          new StatusProblem(
              505, "version-not-supported", "The server speaks HTTP/1.1", "Use HTTP/1.1");
      default ->
          status < 500
              ? new StatusProblem(
                  status,
                  "invalid-request",
                  "The request is not valid",
                  "The request cannot be understood")
              : new StatusProblem(
                  status,
                  "internal-error",
                  "Internal error",
                  "The log of the server has the details");
    };
  }

  private static StatusProblem requestTimeout() {
    return new StatusProblem(
        REQUEST_TIMEOUT,
        "request-timeout",
        "The body did not arrive in time",
        "The body did not arrive in time; nothing was done; retry the same request");
  }

  /**
   * The problem of a request whose body did not arrive in time, perhaps because this process
   * stalled; null if reading failed for another reason. The request itself is valid, so the client
   * must retry it.
   */
  public static @Nullable StatusProblem ofLateBody(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketTimeoutException) {
        return requestTimeout();
      }
    }
    return null;
  }

  public String type() {
    return TYPE + name;
  }
}
