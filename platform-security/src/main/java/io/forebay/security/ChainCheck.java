/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;

/**
 * Denies a request that reached a handler of Forebay without its filter chain, for example because
 * the application compares paths without regard to case. For a controller it also checks the rule
 * of its path, so that a filter chain that identifies callers but lets them through grants nothing.
 * The resources of the door are no controllers and check the caller themselves.
 *
 * <p>It also denies a request to a path of Forebay for which the application has a handler: no rule
 * of the application applies there, and that of Forebay is for its own handler.
 */
final class ChainCheck implements HandlerInterceptor {

  private static final String OURS = "io.forebay.";

  private final Problems problems;

  ChainCheck(Problems problems) {
    this.problems = problems;
  }

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
      throws IOException {
    Class<?> type =
        handler instanceof HandlerMethod method ? method.getBeanType() : handler.getClass();
    if (request.getDispatcherType() == DispatcherType.ERROR) {
      return true;
    }
    if (!type.getName().startsWith(OURS)) {
      // Spring's handler of files answers that there is no endpoint.
      if (handler instanceof ResourceHttpRequestHandler || !OwnPaths.MATCHER.matches(request)) {
        return true;
      }
    } else if (BearerFilter.hasSeen(request)
        && (!(handler instanceof HandlerMethod)
            || OwnPaths.admits(CallerAuthentication.current(), request))) {
      return true;
    }
    if (BearerFilter.hasSeen(request) && CallerAuthentication.current().isEmpty()) {
      problems.unauthenticated(request, response);
    } else {
      problems.denied(response);
    }
    return false;
  }
}
