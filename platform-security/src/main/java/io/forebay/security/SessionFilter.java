/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.LoggedIn;
import io.forebay.access.Logins;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseCookie;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.WebUtils;

/**
 * Identifies the caller by the browser's session, only below {@value #API}. A request with a token
 * is left to {@link BearerFilter}. A change also needs the header {@value #CSRF_HEADER}, which
 * other sites cannot know. A user whose password was set by somebody else can do nothing but change
 * it.
 */
final class SessionFilter extends OncePerRequestFilter {

  static final String API = "/admin/api/v1";

  /** Where the connection is not encrypted, which the prefix of the other name needs. */
  static final String COOKIE = "forebay-session";

  /** Only a page of this host that came over TLS can set a cookie of this name (RFC 6265bis). */
  static final String SECURE_COOKIE = "__Host-" + COOKIE;

  static final String CSRF_COOKIE = "XSRF-TOKEN";
  static final String CSRF_HEADER = "X-XSRF-TOKEN";

  private static final String LOGGED_IN = SessionFilter.class.getName() + ".loggedIn";
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");
  private static final RequestMatcher BELOW_API = path(API + "/**");
  private static final RequestMatcher LOGIN = path(API + "/login");
  private static final RequestMatcher ME = path(API + "/me");
  private static final Set<RequestMatcher> BEFORE_THE_CHANGE =
      Set.of(ME, path(API + "/logout"), path(API + "/password"));

  private final Logins logins;
  private final Problems problems;

  SessionFilter(Logins logins, Problems problems) {
    this.logins = logins;
    this.problems = problems;
  }

  private static RequestMatcher path(String pattern) {
    return PathPatternRequestMatcher.pathPattern(pattern);
  }

  /** Whether it is the question of the page before a login, without any credentials. */
  static boolean asksWhoIsLoggedIn(HttpServletRequest request) {
    return ME.matches(request)
        && request.getHeader("Authorization") == null
        && WebUtils.getCookie(request, name(request)) == null;
  }

  /** The logged-in user who sent the request; empty for a caller with a token. */
  static Optional<LoggedIn> loggedIn(HttpServletRequest request) {
    return Optional.ofNullable((LoggedIn) request.getAttribute(LOGGED_IN));
  }

  /** The name of the session's cookie: over TLS, one that nobody else can have set. */
  private static String name(HttpServletRequest request) {
    return request.isSecure() ? SECURE_COOKIE : COOKIE;
  }

  /** The cookie that the browser sends and that no script can read. */
  static ResponseCookie cookie(HttpServletRequest request, String text) {
    String path = request.isSecure() ? "/" : path(request); // the prefix needs it
    return cookie(request, name(request), text).httpOnly(true).path(path).build();
  }

  /** The cookie that the page reads, to send its value as a header. */
  static ResponseCookie csrfCookie(HttpServletRequest request, String value) {
    return cookie(request, CSRF_COOKIE, value).path(path(request)).build();
  }

  private static String path(HttpServletRequest request) {
    return request.getContextPath() + "/admin";
  }

  /** A session cookie; deleted at once if the value is empty. */
  private static ResponseCookie.ResponseCookieBuilder cookie(
      HttpServletRequest request, String name, String value) {
    return ResponseCookie.from(name, value)
        .secure(request.isSecure())
        .sameSite("Strict")
        .maxAge(value.isEmpty() ? 0 : -1);
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    Optional<LoggedIn> found = find(request);
    if (found.isPresent()) {
      LoggedIn login = found.get();
      if (!SAFE.contains(request.getMethod()) && !isOurs(request, login)) {
        problems.notFromThePage(response);
        return;
      }
      CallerAuthentication.set(
          logins.admit(login), request, response); // who a refusal is counted for
      if (login.user().mustChange()
          && BEFORE_THE_CHANGE.stream().noneMatch(path -> path.matches(request))) {
        problems.passwordMustChange(response);
        return;
      }
      request.setAttribute(LOGGED_IN, login);
    }
    chain.doFilter(request, response);
  }

  private Optional<LoggedIn> find(HttpServletRequest request) {
    if (request.getHeader("Authorization") != null
        || SecurityContextHolder.getContext().getAuthentication() != null
        || !BELOW_API.matches(request)
        || LOGIN.matches(request)) {
      return Optional.empty();
    }
    Cookie @Nullable [] cookies = request.getCookies();
    return cookies == null
        ? Optional.empty()
        : Arrays.stream(cookies)
            .filter(cookie -> cookie.getName().equals(name(request)))
            .findFirst()
            .flatMap(cookie -> logins.find(cookie.getValue()));
  }

  private static boolean isOurs(HttpServletRequest request, LoggedIn login) {
    String sent = request.getHeader(CSRF_HEADER);
    return sent != null
        && MessageDigest.isEqual(
            sent.getBytes(StandardCharsets.UTF_8),
            login.csrfToken().getBytes(StandardCharsets.UTF_8));
  }
}
