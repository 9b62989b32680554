/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.ReplayRefused;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.progress.Unavailable;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;

/** Answers what the controllers of Forebay throw with problem documents. Thread-safe. */
@RestControllerAdvice("io.forebay")
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class ProblemAdvice extends ResponseEntityExceptionHandler {

  private static final Logger log = LoggerFactory.getLogger(ProblemAdvice.class);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration DATABASE_RETRY = Duration.ofSeconds(5);
  private static final String UNREADABLE_QUERY =
      "org.apache.tomcat.util.http.InvalidParameterException";

  @ExceptionHandler
  void other(Exception failure, HttpServletRequest request, HttpServletResponse response)
      throws Exception {
    answer(failure, request, response);
  }

  /**
   * Answers a failed request.
   *
   * @throws E the failure if the request cannot be answered: the client has received a part of the
   *     answer, or is gone
   */
  public static <E extends Exception> void answer(
      E failure, HttpServletRequest request, HttpServletResponse response) throws E, IOException {
    Problem problem = response.isCommitted() ? null : problem(failure);
    if (problem == null) {
      throw failure;
    }
    if (problem.type() == ProblemType.INTERNAL_ERROR) {
      log.error("{} {} failed", request.getMethod(), request.getRequestURI(), failure);
    }
    problem.write(response, request.getRequestURI());
  }

  /** The problem of an exception; null if the client is gone. */
  private static @Nullable Problem problem(Exception failure) {
    return switch (failure) {
      case Problem known -> known;
      case QueueRefused refused -> refused(refused, "nothing was accepted; retry later");
      case QueueUnavailable e -> {
        log.warn("a queue could not be read: {}", e.getMessage());
        yield new Problem(
                ProblemType.QUEUE_UNAVAILABLE,
                "The queue cannot be read from there now; retry later")
            .with("reason", "unavailable")
            .retryAfter(RETRY);
      }
      case QueueFailed e -> {
        log.warn("a queue could not be read: {}", e.getMessage());
        yield new Problem(
                ProblemType.QUEUE_UNAVAILABLE, "The queue failed; an operator must repair it")
            .with("reason", "failed");
      }
      case Unavailable e -> {
        log.warn("a request was refused: {}", e.getMessage());
        yield new Problem(
                ProblemType.DATABASE_UNAVAILABLE,
                "The database that this needs is not responding; retry later")
            .retryAfter(DATABASE_RETRY);
      }
      case ReplayRefused e -> Problem.conflict(String.valueOf(e.getMessage()));
      case DecisionRefused e -> Problem.conflict(String.valueOf(e.getMessage()));
      case JobRefused e -> new Problem(type(e.reason()), String.valueOf(e.getMessage()));
      case IOException e -> Problem.ofLateBody(e);
      default ->
          failure.getClass().getName().equals(UNREADABLE_QUERY)
              ? Problem.invalid(
                  "The query cannot be decoded (names, = and values, in UTF-8, percent-encoded);"
                      + " nothing was done")
              : Problem.of(500);
    };
  }

  /**
   * @param later what the sender may do when the reason is gone
   */
  public static Problem refused(QueueRefused refused, String later) {
    String detail =
        switch (refused.reason()) {
          case FULL -> "The queue has reached its limit; " + later;
          case TOO_LARGE -> "The statement exceeds the maximum message size; nothing was accepted";
          case DISK -> "The disk of the queue has reached its limit; " + later;
          case UNAVAILABLE -> "The server of the queue does not respond; " + later;
          case CLOSED -> "The queue is being closed or drained; " + later;
          case FAILED ->
              "The queue failed and nothing was accepted; an operator must repair it: "
                  + refused.getMessage();
        };
    Problem problem =
        switch (refused.reason()) {
          case FULL -> new Problem(ProblemType.QUEUE_FULL, detail);
          case TOO_LARGE -> new Problem(ProblemType.TOO_LARGE, detail);
          case DISK, UNAVAILABLE, CLOSED, FAILED ->
              new Problem(ProblemType.QUEUE_UNAVAILABLE, detail)
                  .with("reason", refused.reason().name().toLowerCase(Locale.ROOT));
        };
    return problem.retryAfter(refused.retryAfter());
  }

  private static ProblemType type(JobRefused.Reason reason) {
    return switch (reason) {
      case UNKNOWN -> ProblemType.NOT_FOUND;
      case INVALID_PARAMETERS -> ProblemType.INVALID_REQUEST;
      case NOT_GRANTED -> ProblemType.NOT_PERMITTED;
      case ALREADY_RUNNING, ALREADY_COMPLETE, NOT_RESTARTABLE, NOT_RUNNING, ALIVE ->
          ProblemType.CONFLICT;
    };
  }

  /** An invalid id, place in a list or limit; the message contains nothing of the request. */
  @ExceptionHandler
  void invalid(
      IllegalArgumentException e,
      HandlerMethod handler,
      HttpServletRequest request,
      HttpServletResponse response)
      throws Exception {
    boolean isOfTheRequest = handler.getBeanType().getName().startsWith("io.forebay.admin.");
    answer(isOfTheRequest ? Problem.invalid(String.valueOf(e.getMessage())) : e, request, response);
  }

  /** What Spring refuses before a controller. */
  @Override
  protected @Nullable ResponseEntity<Object> handleExceptionInternal(
      Exception failure,
      @Nullable Object body,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    Problem problem = failure instanceof Problem known ? known : Problem.of(status.value());
    if (problem != failure && body instanceof ProblemDetail spring && spring.getDetail() != null) {
      problem.setDetail(spring.getDetail());
    }
    headers.forEach((name, values) -> problem.getHeaders().put(name, values));
    if (problem.type() == ProblemType.INTERNAL_ERROR) {
      log.error("{} failed", request.getDescription(false), failure);
    }
    return write(problem, request);
  }

  private static @Nullable ResponseEntity<Object> write(Problem problem, WebRequest request) {
    ServletWebRequest exchange = (ServletWebRequest) request;
    HttpServletResponse response = exchange.getNativeResponse(HttpServletResponse.class);
    if (response != null && !response.isCommitted()) {
      try {
        problem.write(response, exchange.getRequest().getRequestURI());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return null;
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
      HttpMessageNotReadableException failure,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    Problem late = Problem.ofLateBody(failure);
    return write(late == null ? unreadable(failure.getCause()) : late, request);
  }

  private static Problem unreadable(@Nullable Throwable cause) {
    if (cause instanceof DatabindException wrong && !wrong.getPath().isEmpty()) {
      StringBuilder field = new StringBuilder();
      for (JacksonException.Reference each : wrong.getPath()) {
        String name = each.getPropertyName();
        field.append('/').append(name == null ? each.getIndex() : name);
      }
      return Problem.invalidField(field.toString(), "has the wrong type");
    }
    if (cause instanceof DatabindException) {
      return Problem.invalidField("", "must be an object");
    }
    return new Problem(
        ProblemType.MALFORMED_JSON, "The body cannot be read as JSON in UTF-8; nothing was done");
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleTypeMismatch(
      TypeMismatchException failure,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    if (failure instanceof MethodArgumentTypeMismatchException wrong
        && failure.getRequiredType() != null) {
      return write(
          Problem.invalidField(
              wrong.getName(),
              "must be a value of type " + failure.getRequiredType().getSimpleName()),
          request);
    }
    return super.handleTypeMismatch(failure, headers, status, request);
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleMissingServletRequestParameter(
      MissingServletRequestParameterException failure,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    return write(Problem.invalidField(failure.getParameterName(), "is missing"), request);
  }
}
