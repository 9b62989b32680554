/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.Enumeration;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.servlet.HandlerMapping;

/**
 * The hot path of the door: the resource for a POST to a named statement, without the dispatcher in
 * front of it. It is the same resource, so statuses, documents and limits are the same. The
 * benchmark {@code ingest} guards it. Thread-safe.
 *
 * <p>Only a plain request may come here, one that a filter chain of Spring Security would not
 * change or refuse: no percent encoding, no path parameter, nothing but ASCII in its headers. All
 * others go through the chain and the dispatcher.
 */
public final class StatementPost {

  static final String PATTERN = DoorAutoConfiguration.STATEMENTS + "/{name}";

  private static final String PREFIX = DoorAutoConfiguration.STATEMENTS + "/";

  private final HttpResource resource;
  private final StatementGrants grants;

  StatementPost(HttpResource resource, StatementGrants grants) {
    this.resource = resource;
    this.grants = grants;
  }

  /** The name of the statement in a plain request; null if the request is another one. */
  public static @Nullable String name(HttpServletRequest request) {
    String path = request.getRequestURI();
    return request.getMethod().equals("POST")
            && path.startsWith(PREFIX)
            && hasPlainName(path)
            && hasPlainQuery(request)
            && hasPlainHeaders(request)
        ? path.substring(PREFIX.length())
        : null;
  }

  private static boolean hasPlainName(String path) {
    int start = PREFIX.length();
    return start < path.length()
        && isAll(path, start, c -> isWord(c) || c == '.')
        && isWord(path.charAt(start)) // no segment "." or ".."
        && !path.contains("..");
  }

  private static boolean hasPlainQuery(HttpServletRequest request) {
    String query = request.getQueryString();
    return query == null || isAll(query, 0, c -> isWord(c) || ".:=&".indexOf(c) >= 0);
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

  /** Whether the caller is granted the statement; a refusal is left to the dispatcher. */
  public boolean maySend(Principal caller, String name) {
    return grants.maySend(caller, name);
  }

  /**
   * Answers a plain request.
   *
   * @param name what {@link #name} returned
   * @throws IOException if the client cannot be answered
   */
  public void handle(
      String name, Principal caller, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    // what the dispatcher's mapping would set: for the resource, and for the metrics
    request.setAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, Map.of("name", name));
    ServerHttpObservationFilter.findObservationContext(request)
        .ifPresent(observation -> observation.setPathPattern(PATTERN));
    resource.handleRequest(new Identified(request, caller), response);
  }

  private static final class Identified extends HttpServletRequestWrapper {

    private final Principal caller;

    Identified(HttpServletRequest request, Principal caller) {
      super(request);
      this.caller = caller;
    }

    @Override
    public Principal getUserPrincipal() {
      return caller;
    }

    @Override
    public String getRemoteUser() {
      return caller.getName();
    }
  }
}
