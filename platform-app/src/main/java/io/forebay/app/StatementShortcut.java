/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.jdbc.http.StatementsController;
import io.forebay.security.CallerSecurity;
import io.forebay.web.ProblemResolver;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.Enumeration;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.ServerHttpObservationFilter;

/**
 * Takes the most frequent request, a POST of a named statement with a token, directly to the
 * controller: past the filter chain and the dispatcher. Every other request, and every one that may
 * have to be refused, goes through them.
 *
 * <p>A hundred requests wait for a force at once, and each continues with cold caches. So every
 * layer between socket and door costs twice: past them a queued statement takes between a fifth
 * and, on busy cores, almost half less CPU time (benchmark {@code ingest}). The headers of the
 * response come from {@link ResponseHeaders}.
 *
 * <p>Only a plain request comes here, one that chain and dispatcher would not change or refuse: no
 * percent encoding, no path parameter, nothing but ASCII in its headers, JSON.
 */
final class StatementShortcut implements Filter {

  private static final String PREFIX = StatementsController.PATH + "/";
  private static final String PATTERN = PREFIX + "{name}";
  private static final String JSON = "application/json";

  private final CallerSecurity callers;
  private final @Nullable StatementsController door;

  /**
   * @param door null if this process has no door
   */
  StatementShortcut(CallerSecurity callers, @Nullable StatementsController door) {
    this.callers = callers;
    this.door = door;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (!isAnswered((HttpServletRequest) request, (HttpServletResponse) response)) {
      chain.doFilter(request, response);
    }
  }

  private boolean isAnswered(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String name = isPlain(request) ? request.getRequestURI().substring(PREFIX.length()) : null;
    Principal caller = name == null ? null : callers.byToken(request);
    if (door == null || name == null || caller == null || !door.maySend(caller, name)) {
      return false;
    }
    ServerHttpObservationFilter.findObservationContext(request)
        .ifPresent(observation -> observation.setPathPattern(PATTERN));
    try {
      door.send(name, caller, request, response);
    } catch (IOException | RuntimeException e) {
      ProblemResolver.answer(e, request, response);
    }
    callers.answered(caller, request, response);
    return true;
  }

  private static boolean isPlain(HttpServletRequest request) {
    String path = request.getRequestURI();
    String query = request.getQueryString();
    return request.getMethod().equals("POST")
        && path.startsWith(PREFIX)
        && hasPlainName(path)
        && (query == null || isAll(query, 0, c -> isWord(c) || ".:=&".indexOf(c) >= 0))
        && isJson(request.getContentType())
        && acceptsJson(request.getHeader(HttpHeaders.ACCEPT))
        && hasPlainHeaders(request);
  }

  private static boolean isJson(@Nullable String type) {
    return type != null && type.startsWith(JSON);
  }

  private static boolean acceptsJson(@Nullable String accept) {
    return accept == null || accept.equals("*/*") || accept.equals(JSON);
  }

  private static boolean hasPlainName(String path) {
    int start = PREFIX.length();
    return start < path.length()
        && isAll(path, start, c -> isWord(c) || c == '.')
        && isWord(path.charAt(start)) // no segment "." or ".."
        && !path.contains("..");
  }

  private static boolean hasPlainHeaders(HttpServletRequest request) {
    for (Enumeration<String> names = request.getHeaderNames(); names.hasMoreElements(); ) {
      Enumeration<String> values = request.getHeaders(names.nextElement());
      while (values.hasMoreElements()) {
        if (!isAll(values.nextElement(), 0, c -> c >= ' ' && c <= '~')) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean isWord(int c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '-'
        || c == '_';
  }

  private static boolean isAll(String text, int start, IntPredicate plain) {
    for (int i = start; i < text.length(); i++) {
      if (!plain.test(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }
}
