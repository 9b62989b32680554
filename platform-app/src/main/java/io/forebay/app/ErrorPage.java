/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.web.HttpRequestHandler;
import tools.jackson.databind.json.JsonMapper;

/** Answers requests that no handler answered with a problem document. */
final class ErrorPage implements ErrorController, HttpRequestHandler {

  private static final JsonMapper JSON = JsonMapper.shared();

  @Override
  public void handleRequest(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Object path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
    HttpServletRequest failed =
        new HttpServletRequestWrapper(request) {
          @Override
          public String getRequestURI() {
            return path instanceof String text ? text : super.getRequestURI();
          }
        };
    HttpProblem problem = problem(request);
    if (problem.type() == ProblemType.REQUEST_TIMEOUT) {
      response.setHeader("Connection", "close");
    }
    write(failed, response, problem);
  }

  private static void write(
      HttpServletRequest request, HttpServletResponse response, HttpProblem problem)
      throws IOException {
    byte[] document = JSON.writeValueAsBytes(problem.document(request.getRequestURI()));
    response.setStatus(problem.status());
    response.setContentType("application/problem+json");
    response.setHeader("Cache-Control", "no-store");
    response.setContentLength(document.length);
    response.getOutputStream().write(document);
  }

  private static HttpProblem problem(HttpServletRequest request) {
    Object failure = request.getAttribute(RequestDispatcher.ERROR_EXCEPTION);
    HttpProblem late = failure instanceof Throwable thrown ? HttpProblem.ofLateBody(thrown) : null;
    if (late != null) {
      return late;
    }
    Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
    return HttpProblem.of(status instanceof Integer code ? code : 404);
  }
}
