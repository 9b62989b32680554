/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.problem;

import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ends a request with a problem document (RFC 9457). Its text never contains SQL, arguments or
 * driver messages. For one thread; without a stack trace.
 */
public final class HttpProblem extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final ProblemType type;
  private final int status;
  private final transient Map<String, Object> members = new LinkedHashMap<>();
  private @Nullable Duration retryAfter;

  public HttpProblem(ProblemType type, String detail) {
    this(type, type.status(), detail);
  }

  /** A problem with another status than its type usually has. */
  public HttpProblem(ProblemType type, int status, String detail) {
    super(detail, null, false, false);
    this.type = type;
    this.status = status;
  }

  /**
   * The problem of a response that has only a status.
   *
   * @param status 400 or more
   */
  public static HttpProblem of(int status) {
    return switch (status) {
      case 401 -> new HttpProblem(ProblemType.UNAUTHENTICATED, "Send the request with credentials");
      case 403 ->
          new HttpProblem(
              ProblemType.NOT_PERMITTED, "The role or the grants of the caller do not allow it");
      case 404 -> new HttpProblem(ProblemType.NOT_FOUND, "No resource has this path");
      case 405 ->
          new HttpProblem(
              ProblemType.METHOD_NOT_ALLOWED, "The header Allow lists the allowed methods");
      case 406 ->
          new HttpProblem(ProblemType.NOT_ACCEPTABLE, "The response can only be application/json");
      case 408 -> late();
      case 409 -> new HttpProblem(ProblemType.CONFLICT, "The present state does not allow it");
      case 413 -> new HttpProblem(ProblemType.TOO_LARGE, "The body exceeds the limit");
      case 414 -> new HttpProblem(ProblemType.URI_TOO_LONG, "The request line is too long");
      case 415 ->
          new HttpProblem(
              ProblemType.UNSUPPORTED_MEDIA_TYPE, "The Content-Type must be application/json");
      case 431 ->
          new HttpProblem(
              ProblemType.HEADERS_TOO_LARGE, "Request line and headers exceed the limit");
      case 501 ->
          new HttpProblem(
              ProblemType.NOT_IMPLEMENTED,
              "The server does not support the method or the transfer coding");
      case 503 -> new HttpProblem(ProblemType.UNAVAILABLE, "Retry the request later");
      case 505 -> new HttpProblem(ProblemType.VERSION_NOT_SUPPORTED, "Use HTTP/1.1");
      default ->
          status < 500
              ? new HttpProblem(
                  ProblemType.INVALID_REQUEST, status, "The request cannot be understood")
              : new HttpProblem(
                  ProblemType.INTERNAL_ERROR, status, "The log of the server has the details");
    };
  }

  private static HttpProblem late() {
    return new HttpProblem(
        ProblemType.REQUEST_TIMEOUT,
        "The body did not arrive in time; nothing was done; retry the same request");
  }

  /**
   * The problem of a request whose body did not arrive in time, perhaps because this process
   * stalled; null if reading failed for another reason. The request itself is valid, so the client
   * must retry it.
   */
  public static @Nullable HttpProblem ofLateBody(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketTimeoutException) {
        return late();
      }
    }
    return null;
  }

  public ProblemType type() {
    return type;
  }

  public int status() {
    return status;
  }

  public String detail() {
    return String.valueOf(getMessage());
  }

  /** Adds a member: a text, a number, or a list of records. */
  public HttpProblem with(String member, Object value) {
    members.put(member, value);
    return this;
  }

  /** Sets when to retry; zero sets nothing. */
  public HttpProblem retryAfter(Duration time) {
    if (time.isPositive()) {
      retryAfter = time;
      members.put("retryAfterMillis", time.toMillis());
    }
    return this;
  }

  /** Whole seconds for the header, rounded up; 0 for no header. */
  public long retryAfterSeconds() {
    Duration time = retryAfter;
    return time == null ? 0 : time.plusMillis(999).toSeconds();
  }

  /**
   * The members of the document, in order.
   *
   * @param instance the requested path
   */
  public Map<String, Object> document(String instance) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("type", type.uri());
    document.put("title", type.title());
    document.put("status", status);
    document.put("detail", detail());
    document.put("instance", instance);
    document.putAll(members);
    return document;
  }
}
