/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * Answers requests that fit the path of a controller of Forebay and none of its methods, such as
 * one with a wrong content type, with problem documents. Thread-safe.
 */
final class UnmappedProblems implements HandlerExceptionResolver, Ordered {

  private final ObjectProvider<RequestMappingInfoHandlerMapping> mappings;

  UnmappedProblems(ObjectProvider<RequestMappingInfoHandlerMapping> mappings) {
    this.mappings = mappings;
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception failure) {
    if (handler != null || !(failure instanceof ErrorResponse refusal) || !isOurs(request)) {
      return null;
    }
    Problem problem = Problem.of(refusal.getStatusCode().value());
    refusal.getHeaders().forEach((name, values) -> problem.getHeaders().put(name, values));
    try {
      problem.write(response, request.getRequestURI());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ModelAndView();
  }

  private boolean isOurs(HttpServletRequest request) {
    return mappings.stream()
        .flatMap(mapping -> mapping.getHandlerMethods().entrySet().stream())
        .filter(it -> it.getValue().getBeanType().getName().startsWith("io.forebay."))
        .anyMatch(it -> {
          PathPatternsRequestCondition paths = it.getKey().getPathPatternsCondition();
          return paths != null && paths.getMatchingCondition(request) != null;
        });
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }
}
