/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
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
     * @throws Problem to end the request with this problem
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
        throw new Problem(ProblemType.METHOD_NOT_ALLOWED, "The allowed methods are " + allowed);
      }
      mustAcceptJson(request.getHeader("Accept"));
      method.handle(request, response);
    } catch (Problem problem) {
      problem.write(response, request.getRequestURI());
    } catch (IOException e) {
      Problem late = response.isCommitted() ? null : Problem.ofLateBody(e);
      if (late == null) {
        throw e;
      }
      late.write(response, request.getRequestURI());
    } catch (RuntimeException e) {
      log.error("{} {} failed", request.getMethod(), request.getRequestURI(), e);
      Problem.of(500).write(response, request.getRequestURI());
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
      throw new Problem(ProblemType.INVALID_REQUEST, "The header Accept cannot be read");
    }
    throw new Problem(ProblemType.NOT_ACCEPTABLE, "The response can only be application/json");
  }
}
