/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.web.Problem;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.web.HttpRequestHandler;

/** Answers requests that no handler answered with a problem document. */
final class ErrorPage implements ErrorController, HttpRequestHandler {

  @Override
  public void handleRequest(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Object path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
    problem(request).write(response, path instanceof String text ? text : request.getRequestURI());
  }

  private static Problem problem(HttpServletRequest request) {
    Object failure = request.getAttribute(RequestDispatcher.ERROR_EXCEPTION);
    Problem late = failure instanceof Throwable thrown ? Problem.ofLateBody(thrown) : null;
    if (late != null) {
      return late;
    }
    Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
    return Problem.of(status instanceof Integer code ? code : 404);
  }
}
