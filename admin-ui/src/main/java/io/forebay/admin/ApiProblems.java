/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;

/**
 * Converts requests that Spring refuses before a controller to problem documents with Forebay's
 * types.
 */
public abstract class ApiProblems extends ResponseEntityExceptionHandler {

  /** A problem that names one field of the body, or a parameter of the query. */
  public static ProblemDetail invalidField(String field, String message) {
    ProblemDetail problem =
        problem(
            ProblemType.INVALID_PARAMETERS,
            "%s %s; nothing was done".formatted(field.isEmpty() ? "The body" : field, message));
    problem.setProperty("errors", List.of(Map.of("field", field, "message", message)));
    return problem;
  }

  public static ProblemDetail problem(ProblemType type, String detail) {
    return problem(new HttpProblem(type, detail));
  }

  public static ProblemDetail problem(HttpProblem known) {
    ProblemDetail problem =
        ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(known.status()), known.detail());
    problem.setType(URI.create(known.type().uri()));
    problem.setTitle(known.type().title());
    return problem;
  }

  /** Keeps the detail unless it is Spring's own. */
  @Override
  protected ResponseEntity<Object> createResponseEntity(
      @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
    HttpProblem known = HttpProblem.of(status.value());
    if (body instanceof ProblemDetail problem && problem.getType() == null) {
      problem.setType(URI.create(known.type().uri()));
      problem.setTitle(known.type().title());
    }
    // set explicitly, because the problem may be the Accept header itself
    return ResponseEntity.status(status)
        .headers(headers)
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .body(body == null ? problem(known) : body);
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
      HttpMessageNotReadableException failure,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    HttpProblem late = HttpProblem.ofLateBody(failure);
    if (late != null) {
      return ResponseEntity.status(late.status())
          .header(HttpHeaders.CONNECTION, "close")
          .body(problem(late));
    }
    return ResponseEntity.badRequest().headers(headers).body(unreadable(failure.getCause()));
  }

  private static ProblemDetail unreadable(@Nullable Throwable cause) {
    if (cause instanceof DatabindException wrong && !wrong.getPath().isEmpty()) {
      StringBuilder field = new StringBuilder();
      for (JacksonException.Reference each : wrong.getPath()) {
        String name = each.getPropertyName();
        field.append('/').append(name == null ? each.getIndex() : name);
      }
      return invalidField(field.toString(), "has the wrong type");
    }
    if (cause instanceof DatabindException) {
      return invalidField("", "must be an object");
    }
    return problem(
        ProblemType.MALFORMED_JSON, "The body cannot be read as JSON in UTF-8; nothing was done");
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleTypeMismatch(
      org.springframework.beans.TypeMismatchException failure,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    if (failure instanceof MethodArgumentTypeMismatchException wrong
        && failure.getRequiredType() != null) {
      return ResponseEntity.badRequest()
          .body(
              invalidField(
                  wrong.getName(),
                  "must be a value of type " + failure.getRequiredType().getSimpleName()));
    }
    return super.handleTypeMismatch(failure, headers, status, request);
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleMissingServletRequestParameter(
      MissingServletRequestParameterException failure,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    return ResponseEntity.badRequest().body(invalidField(failure.getParameterName(), "is missing"));
  }
}
