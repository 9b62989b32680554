/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.HttpRequestHandler;

/** A path and its methods; every failure is answered with a problem document. */
final class HttpResource implements HttpRequestHandler {

  /** Handles one HTTP method. */
  @FunctionalInterface
  interface Method {
    /**
     * @throws HttpProblem to end the request with this problem
     */
    void handle(HttpServletRequest request, HttpServletResponse response) throws IOException;
  }

  private static final Logger log = LoggerFactory.getLogger(HttpResource.class);

  private final Map<String, Method> methods;
  private final String allowed;

  HttpResource(Map<String, Method> methods) {
    this.methods = new TreeMap<>(methods);
    Method get = methods.get("GET");
    if (get != null) {
      this.methods.put("HEAD", get);
    }
    this.allowed = this.methods.keySet().stream().collect(Collectors.joining(", "));
  }

  @Override
  public void handleRequest(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    try {
      Method method = methods.get(request.getMethod());
      if (method == null) {
        response.setHeader("Allow", allowed);
        throw new HttpProblem(ProblemType.METHOD_NOT_ALLOWED, "The allowed methods are " + allowed);
      }
      mustAcceptJson(request.getHeader("Accept"));
      method.handle(request, response);
    } catch (HttpProblem problem) {
      JsonResponse.write(request, response, problem);
    } catch (IOException e) {
      HttpProblem late = response.isCommitted() ? null : HttpProblem.ofLateBody(e);
      if (late == null) {
        throw e;
      }
      response.setHeader("Connection", "close");
      JsonResponse.write(request, response, late);
    } catch (RuntimeException e) {
      log.error("{} {} failed", request.getMethod(), request.getRequestURI(), e);
      JsonResponse.write(
          request,
          response,
          new HttpProblem(ProblemType.INTERNAL_ERROR, "The log of the server has the details"));
    }
  }

  private static void mustAcceptJson(@Nullable String accept) {
    if (accept == null
        || accept.equals("*/*")
        || accept.equals("application/json")
        || accept.equals(StreamResource.TYPE)) {
      return;
    }
    try {
      boolean acceptable =
          MediaType.parseMediaTypes(accept).stream()
              .anyMatch(
                  type -> type.getQualityValue() > 0 && type.includes(MediaType.APPLICATION_JSON));
      if (acceptable) {
        return;
      }
    } catch (InvalidMediaTypeException _) {
      throw new HttpProblem(ProblemType.INVALID_REQUEST, "The header Accept cannot be read");
    }
    throw new HttpProblem(ProblemType.NOT_ACCEPTABLE, "The response can only be application/json");
  }
}
