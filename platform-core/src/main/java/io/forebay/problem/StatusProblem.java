/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.problem;

import java.net.SocketTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The problem (RFC 9457) of a status, where nothing more is known of what went wrong: the words of
 * a request that the server refuses before any of our code sees it. Immutable.
 *
 * @param name the last part of the type
 */
public record StatusProblem(int status, String name, String title, String detail) {

  /** What every type begins with. */
  public static final String TYPE = "urn:forebay:problem:";

  public static final int REQUEST_TIMEOUT = 408;

  /**
   * @param status 400 or more
   */
  public static StatusProblem of(int status) {
    return switch (status) {
      case 401 ->
          new StatusProblem(
              401, "unauthenticated", "Nobody is logged in", "Send the request with credentials");
      case 403 ->
          new StatusProblem(
              403,
              "not-permitted",
              "This caller may not do that",
              "The role or the grants of the caller do not allow it");
      case 404 ->
          new StatusProblem(
              404, "not-found", "There is nothing here", "There is no resource of that path");
      case 405 ->
          new StatusProblem(
              405,
              "method-not-allowed",
              "This method is not for this resource",
              "The header Allow names the methods that are");
      case 406 ->
          new StatusProblem(
              406, "not-acceptable", "The answer is JSON", "The answer is application/json");
      case REQUEST_TIMEOUT -> requestTimeout();
      case 413 ->
          new StatusProblem(
              413, "too-large", "The request is too large", "The body is larger than is taken");
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
              "Request line and headers are larger than is taken");
      case 501 ->
          new StatusProblem(
              501,
              "not-implemented",
              "The server cannot do that",
              "The server knows no such method or transfer coding");
      case 503 ->
          new StatusProblem(
              503, "unavailable", "The server cannot answer now", "Send the request again later");
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
                  "Something went wrong here",
                  "The log of the server says what happened");
    };
  }

  private static StatusProblem requestTimeout() {
    return new StatusProblem(
        REQUEST_TIMEOUT,
        "request-timeout",
        "The body did not come in time",
        "The body did not arrive in time; nothing was done; send the same request again");
  }

  /**
   * The problem of a request whose body did not come in time, perhaps because this process stood
   * still; null if reading it failed for another reason. Such a request is not wrong: the client
   * must not give it up.
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
