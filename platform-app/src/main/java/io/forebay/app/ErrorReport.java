/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.web.Problem;
import java.io.IOException;
import java.io.Writer;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.res.StringManager;
import org.jspecify.annotations.Nullable;

/**
 * Writes a problem document when the server itself refuses a request, such as one with an
 * unreadable request line. No error page is involved then. The texts are ASCII without quotes.
 */
final class ErrorReport extends ErrorReportValve {

  private static final String TOO_LARGE =
      StringManager.getManager(Http11Processor.class).getString("iib.requestheadertoolarge.error");

  private static final String DOCUMENT =
      """
      {"type":"%s","title":"%s","status":%d,"detail":"%s"}\
      """;

  @Override
  protected void report(Request request, Response response, @Nullable Throwable failure) {
    int status = response.getStatus();
    if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    Problem problem = problem(request, status, failure);
    response.setStatus(problem.getStatusCode().value());
    try {
      response.setContentType("application/problem+json");
      Writer writer = response.getReporter();
      if (writer != null) {
        writer.write(
            DOCUMENT.formatted(
                problem.type().uri(),
                problem.type().title(),
                problem.getStatusCode().value(),
                problem.detail()));
        response.finishResponse();
      }
    } catch (IOException e) {
      container.getLogger().debug("the client disconnected before it received status " + status, e);
    }
  }

  private static Problem problem(Request request, int status, @Nullable Throwable failure) {
    Problem late = Problem.ofLateBody(failure);
    if (late != null) {
      return late;
    }
    if (status == 400 && isTooLarge(failure)) {
      return Problem.of(request.getRequestURI() == null ? 414 : 431);
    }
    return Problem.of(status);
  }

  /**
   * Whether the request line or headers are too large, or too many. Tomcat answers 400 to these.
   */
  private static boolean isTooLarge(@Nullable Throwable failure) {
    return failure != null
        && (TOO_LARGE.equals(failure.getMessage())
            || failure.getClass() == IllegalStateException.class);
  }
}
