/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.web.HttpRequestHandler;

/** What nobody else answers is answered with a problem document too. */
final class ErrorPage implements ErrorController, HttpRequestHandler {

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
    Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
    JsonResponse.write(failed, response, problem(status instanceof Integer code ? code : 404));
  }

  private static Problem problem(int status) {
    return switch (status) {
      case 401 -> new Problem(ProblemType.UNAUTHENTICATED, "Send the request with credentials");
      case 403 -> new Problem(ProblemType.NOT_PERMITTED, "This caller may not do that");
      case 404 -> new Problem(ProblemType.NOT_FOUND, "There is no resource of that path");
      case 405 -> new Problem(ProblemType.METHOD_NOT_ALLOWED, "The header Allow says what is");
      case 406 -> new Problem(ProblemType.NOT_ACCEPTABLE, "The answer is application/json");
      case 413 -> new Problem(ProblemType.TOO_LARGE, "The body is larger than is taken");
      case 415 ->
          new Problem(
              ProblemType.UNSUPPORTED_MEDIA_TYPE, "The Content-Type must be application/json");
      default ->
          status >= 400 && status < 500
              ? new Problem(ProblemType.INVALID_REQUEST, "The request cannot be understood")
              : new Problem(ProblemType.INTERNAL_ERROR, "The log of the server says what happened");
    };
  }
}
