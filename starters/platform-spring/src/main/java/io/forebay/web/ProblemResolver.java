/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.progress.Unavailable;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.core.Ordered;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;

/**
 * Answers requests to the controllers of Forebay that fail with problem documents, also those that
 * fit the path of a controller and none of its methods. It is no advice, because an application's
 * own advice could come first. Thread-safe.
 */
public final class ProblemResolver implements HandlerExceptionResolver, Ordered {

  /** The attribute of a request that was answered with a problem: its {@link ProblemType}. */
  public static final String TYPE = ProblemResolver.class.getName() + ".type";

  private static final Logger log = LoggerFactory.getLogger(ProblemResolver.class);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration DATABASE_RETRY = Duration.ofSeconds(5);
  private static final String UNREADABLE_QUERY =
      "org.apache.tomcat.util.http.InvalidParameterException";

  private final ForebayHandlerMapping controllers;

  ProblemResolver(ForebayHandlerMapping controllers) {
    this.controllers = controllers;
  }

  /**
   * Throws the failure if the client has received a part of the response: the application must not
   * add a document of its own, and the server closes the connection.
   */
  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception failure) {
    Class<?> controller = controller(handler);
    boolean isUnmapped = handler == null && controllers.hasPathOf(request);
    if (!isUnmapped && (controller == null || handles(controller, failure))) {
      return null;
    }
    if (response.isCommitted() && Problem.ofLateBody(failure) != null) {
      return new ModelAndView(); // the server has answered with 408
    }
    answer(isOfTheRequest(controller, failure) ? invalid(failure) : failure, request, response);
    return new ModelAndView();
  }

  /** The class of the handler if it is a controller of Forebay. */
  private static @Nullable Class<?> controller(@Nullable Object handler) {
    return handler instanceof HandlerMethod method
            && ForebayHandlerMapping.isController(method.getBeanType())
        ? method.getBeanType()
        : null;
  }

  /** Whether a controller has a method of its own for the failure. */
  private static boolean handles(Class<?> controller, Exception failure) {
    return new ExceptionHandlerMethodResolver(controller).resolveMethod(failure) != null;
  }

  /** An invalid id, place in a list or limit; the message contains nothing of the request. */
  private static boolean isOfTheRequest(@Nullable Class<?> controller, Exception failure) {
    return failure instanceof IllegalArgumentException
        && controller != null
        && controller.getName().startsWith("io.forebay.admin.");
  }

  private static Problem invalid(Exception failure) {
    return Problem.invalid(String.valueOf(failure.getMessage()));
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  /**
   * Answers a failed request.
   *
   * @throws E the failure if the request cannot be answered: the client has received a part of the
   *     answer, or is gone; the server needs it as it is, also if the caller cannot declare it
   */
  @SuppressWarnings("unchecked")
  public static <E extends Exception> void answer(
      Exception failure, HttpServletRequest request, HttpServletResponse response) throws E {
    try {
      Problem problem = response.isCommitted() ? null : problem(failure);
      if (problem == null) {
        throw failure;
      }
      if (problem.type() == ProblemType.INTERNAL_ERROR) {
        log.error("{} {} failed", request.getMethod(), request.getRequestURI(), failure);
      }
      request.setAttribute(TYPE, problem.type());
      problem.write(response, request.getRequestURI());
    } catch (Exception e) {
      throw (E) e;
    }
  }

  /** The problem of an exception; null if the client is gone. */
  private static @Nullable Problem problem(Exception failure) {
    return switch (failure) {
      case Problem known -> known;
      case CompletionException wrapped when wrapped.getCause() instanceof Exception cause ->
          problem(cause);
      case RuntimeException refused when refused.getCause() instanceof Problem known -> known;
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
      case DecisionRefused e -> Problem.conflict(String.valueOf(e.getMessage()));
      case JobRefused e -> new Problem(type(e.reason()), String.valueOf(e.getMessage()));
      case IOException e -> Problem.ofLateBody(e);
      case HttpMessageNotReadableException e -> unreadable(e);
      case MissingServletRequestParameterException e ->
          Problem.invalidField(e.getParameterName(), "is missing");
      case MethodArgumentTypeMismatchException e -> mistyped(e);
      case TypeMismatchException _ -> Problem.of(400);
      case ErrorResponse refused -> refused(refused);
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

  /** What Spring refuses. */
  private static Problem refused(ErrorResponse refused) {
    Problem problem = Problem.of(refused.getStatusCode().value());
    if (refused instanceof ResponseStatusException e && e.getReason() != null) {
      problem.setDetail(e.getReason());
    }
    refused.getHeaders().forEach((name, values) -> problem.getHeaders().put(name, values));
    return problem;
  }

  private static Problem mistyped(MethodArgumentTypeMismatchException failure) {
    Class<?> type = failure.getRequiredType();
    return type == null
        ? Problem.of(400)
        : Problem.invalidField(
            failure.getName(), "must be a value of type " + type.getSimpleName());
  }

  private static Problem unreadable(HttpMessageNotReadableException failure) {
    Problem late = Problem.ofLateBody(failure);
    return late == null ? unreadable(failure.getCause()) : late;
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
}
