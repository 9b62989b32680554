/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import io.forebay.operations.Audit;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.json.ProblemDetailJacksonMixin;
import org.springframework.web.ErrorResponseException;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Ends a request with a problem document that has a type of Forebay. Its text never contains SQL,
 * arguments or messages of drivers. For one thread; without a stack trace.
 */
public final class Problem extends ErrorResponseException implements Audit.Refusal {

  private static final long serialVersionUID = 1;

  /** Not the mapper of the application, whose settings may change the form of a document. */
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .addMixIn(ProblemDetail.class, ProblemDetailJacksonMixin.class)
          .build();

  private final ProblemType type;

  public Problem(ProblemType type, String detail) {
    this(type, type.status(), detail);
  }

  /** A problem with another status than its type usually has. */
  public Problem(ProblemType type, int status, String detail) {
    super(
        HttpStatusCode.valueOf(status),
        ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(status), detail),
        null);
    this.type = type;
    setType(type.uri());
    setTitle(type.title());
  }

  /**
   * The problem of a response that has only a status.
   *
   * @param status 400 or more
   */
  public static Problem of(int status) {
    return switch (status) {
      case 401 -> new Problem(ProblemType.UNAUTHENTICATED, "Send the request with credentials");
      case 403 ->
          new Problem(
              ProblemType.NOT_PERMITTED, "The role or the grants of the caller do not allow it");
      case 404 -> notFound("No resource has this path");
      case 405 ->
          new Problem(ProblemType.METHOD_NOT_ALLOWED, "The header Allow lists the allowed methods");
      case 406 ->
          new Problem(ProblemType.NOT_ACCEPTABLE, "The response can only be application/json");
      case 408 ->
          new Problem(
              ProblemType.REQUEST_TIMEOUT,
              "The body did not arrive in time; nothing was done; retry the same request");
      case 409 -> conflict("The present state does not allow it");
      case 413 -> new Problem(ProblemType.TOO_LARGE, "The body exceeds the limit");
      case 414 -> new Problem(ProblemType.URI_TOO_LONG, "The request line is too long");
      case 415 ->
          new Problem(
              ProblemType.UNSUPPORTED_MEDIA_TYPE, "The Content-Type must be application/json");
      case 431 ->
          new Problem(ProblemType.HEADERS_TOO_LARGE, "Request line and headers exceed the limit");
      case 501 ->
          new Problem(
              ProblemType.NOT_IMPLEMENTED,
              "The server does not support the method or the transfer coding");
      case 503 -> new Problem(ProblemType.UNAVAILABLE, "Retry the request later");
      case 505 -> new Problem(ProblemType.VERSION_NOT_SUPPORTED, "Use HTTP/1.1");
      default ->
          status < 500
              ? new Problem(ProblemType.INVALID_REQUEST, status, "The request cannot be understood")
              : new Problem(
                  ProblemType.INTERNAL_ERROR, status, "The log of the server has the details");
    };
  }

  public static Problem notFound(String detail) {
    return new Problem(ProblemType.NOT_FOUND, detail);
  }

  public static Problem conflict(String detail) {
    return new Problem(ProblemType.CONFLICT, detail);
  }

  public static Problem invalid(String detail) {
    return new Problem(ProblemType.INVALID_REQUEST, detail);
  }

  /**
   * @param field the invalid field as a JSON pointer into the body, or the name of a parameter
   * @param message what the field must be
   */
  public static Problem invalidField(String field, String message) {
    return new Problem(
            ProblemType.INVALID_PARAMETERS,
            "%s %s; nothing was done".formatted(field.isEmpty() ? "The body" : field, message))
        .with("errors", List.of(new FieldError(field, message)));
  }

  public static Problem invalidFields(List<FieldError> errors) {
    return new Problem(
            ProblemType.INVALID_PARAMETERS,
            errors.size() == 1
                ? "One field is not valid; nothing was accepted"
                : errors.size() + " fields are not valid; nothing was accepted")
        .with("errors", errors);
  }

  /**
   * The problem of a request whose body did not arrive in time, perhaps because this process
   * stalled; null if reading failed for another reason. The request itself is valid, so the client
   * must retry it.
   */
  public static @Nullable Problem ofLateBody(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketTimeoutException) {
        Problem late = of(408);
        late.getHeaders().set(HttpHeaders.CONNECTION, "close");
        return late;
      }
    }
    return null;
  }

  public ProblemType type() {
    return type;
  }

  public String detail() {
    return String.valueOf(getBody().getDetail());
  }

  /** The detail, for the audit. */
  @Override
  public String getMessage() {
    return detail();
  }

  /** Adds a member: a text, a number, or a list of records. */
  public Problem with(String member, Object value) {
    getBody().setProperty(member, value);
    return this;
  }

  /** Sets when to retry, in the header as whole seconds, rounded up; zero sets nothing. */
  public Problem retryAfter(Duration time) {
    if (time.isPositive()) {
      getHeaders().set(HttpHeaders.RETRY_AFTER, Long.toString(time.plusMillis(999).toSeconds()));
      with("retryAfterMillis", time.toMillis());
    }
    return this;
  }

  /**
   * The document as JSON.
   *
   * @param path the requested path
   */
  public byte[] json(String path) {
    try {
      getBody().setInstance(new URI(path));
    } catch (URISyntaxException _) {
      // what a proxy added need not be one; the document is complete without it
    }
    return JSON.writeValueAsBytes(getBody());
  }

  /**
   * Answers with the document.
   *
   * @param path the requested path
   */
  public void write(HttpServletResponse response, String path) throws IOException {
    getHeaders().forEach((name, values) -> values.forEach(it -> response.setHeader(name, it)));
    byte[] document = json(path);
    response.setStatus(getStatusCode().value());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    response.setContentLength(document.length);
    response.getOutputStream().write(document);
  }

  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
