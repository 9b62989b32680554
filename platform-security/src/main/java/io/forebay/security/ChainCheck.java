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
 * Denies a request that reached a controller of Forebay without the rules of Forebay's endpoints,
 * for example because the application compares paths without regard to case; and a request to a
 * path of Forebay for which the application has a handler, because the rule of that path is for
 * Forebay's.
 */
final class ChainCheck implements HandlerInterceptor {

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
      throws IOException {
    boolean isAllowed =
        handler instanceof HandlerMethod method
                && method.getBeanType().getName().startsWith("io.forebay.")
            ? RefusalFilter.hasPassedOwnRules(request)
            // Spring's handler of files answers that there is no endpoint.
            : handler instanceof ResourceHttpRequestHandler || !OwnPaths.MATCHER.matches(request);
    if (isAllowed || request.getDispatcherType() == DispatcherType.ERROR) {
      return true;
    }
    Problems.denied().write(response, request.getRequestURI());
    return false;
  }
}
