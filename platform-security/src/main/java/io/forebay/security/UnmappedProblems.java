/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Converts refusals of requests to Forebay's paths that fit no controller, such as one with a wrong
 * content type, to problem documents.
 */
final class UnmappedProblems implements HandlerExceptionResolver, Ordered {

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception failure) {
    if (handler != null
        || !(failure instanceof ErrorResponse refusal)
        || !RefusalFilter.hasSeen(request)) {
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

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }
}
