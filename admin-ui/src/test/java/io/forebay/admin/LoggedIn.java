/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A caller who is logged in with the role in the header Role. */
public final class LoggedIn extends HttpServletRequestWrapper {

  private static final List<String> ROLES = List.of("NONE", "VIEWER", "OPERATOR", "ADMIN");

  private LoggedIn(HttpServletRequest request) {
    super(request);
  }

  public static Filter filter() {
    return (request, response, chain) ->
        chain.doFilter(new LoggedIn((HttpServletRequest) request), response);
  }

  @Override
  public @Nullable Principal getUserPrincipal() {
    return getHeader("Role") == null ? null : () -> "olga";
  }

  @Override
  public boolean isUserInRole(String role) {
    return ROLES.indexOf(role) <= ROLES.indexOf(getHeader("Role"));
  }
}
