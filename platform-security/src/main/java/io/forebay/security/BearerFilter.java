/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.Admitted;
import io.forebay.access.Role;
import io.forebay.access.TokenOwner;
import io.forebay.access.Tokens;
import io.forebay.access.oidc.JwtCallers;
import io.forebay.access.oidc.JwtCheck;
import io.forebay.operations.Actor;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Identifies the caller by the token of the request (RFC 6750, header only), or by a JWT of the
 * OpenID provider. A request without one, or with a wrong one, continues unauthenticated; the rules
 * of the paths refuse it where a caller is required. Refused requests are counted.
 */
final class BearerFilter extends OncePerRequestFilter {

  static final String SCHEME = "Bearer ";
  private static final String SEEN = BearerFilter.class.getName() + ".seen";
  private static final String WRONG = BearerFilter.class.getName() + ".wrong";

  private static final String JWT = BearerFilter.class.getName() + ".jwt";
  private static final String REFUSED = BearerFilter.class.getName() + ".refused";
  private static final String USER = BearerFilter.class.getName() + ".user";

  private static final int PATH = 200;
  private static final int ADDRESS = 60;

  private final Tokens tokens;
  private final @Nullable JwtCallers jwts;
  private final Refusals refusals;

  /**
   * @param jwts null if there is no OpenID provider
   */
  BearerFilter(Tokens tokens, @Nullable JwtCallers jwts, Refusals refusals) {
    this.tokens = tokens;
    this.jwts = jwts;
    this.refusals = refusals;
  }

  /** Whether the request has passed a filter chain with this filter. */
  static boolean hasSeen(HttpServletRequest request) {
    return request.getAttribute(SEEN) != null;
  }

  static boolean presentedAWrongToken(HttpServletRequest request) {
    return request.getAttribute(WRONG) != null;
  }

  /** Why the JWT of the request identified no caller; null if there was none, or it did. */
  static @Nullable JwtCheck refusedJwt(HttpServletRequest request) {
    return (JwtCheck) request.getAttribute(JWT);
  }

  /**
   * Makes this request count as one that was refused with a status: it is answered with a redirect,
   * or with a status that is also that of a full queue.
   */
  static void noteRefusal(HttpServletRequest request, HttpStatus status) {
    request.setAttribute(REFUSED, status.value());
  }

  /** Adds the user concerned to the refusal of this request. */
  static void noteUser(HttpServletRequest request, String name) {
    request.setAttribute(USER, name);
  }

  /** The sender of the request that this thread handles. */
  static Actor actor(HttpServletRequest request) {
    return CallerAuthentication.current()
        .map(caller -> actor(caller, request))
        .orElseGet(() ->
            refusedJwt(request) instanceof JwtCheck.WithoutRights known
                ? actor(Actor.Kind.OIDC, known.caller(), request)
                : new Actor(Actor.Kind.ANONYMOUS, "anonymous", Role.NONE.text(), address(request)));
  }

  /** A sender that is known. */
  static Actor actor(CallerAuthentication caller, HttpServletRequest request) {
    return actor(caller.kind(), caller.caller(), request);
  }

  private static Actor actor(Actor.Kind kind, TokenOwner caller, HttpServletRequest request) {
    return new Actor(kind, caller.name(), caller.role().text(), address(request));
  }

  /** Where the request came from; a proxy may have forwarded any text. */
  private static String address(HttpServletRequest request) {
    String address = request.getRemoteAddr();
    return address.length() <= ADDRESS ? address : address.substring(0, ADDRESS) + "…";
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    request.setAttribute(SEEN, true);
    List<String> credentials = Collections.list(request.getHeaders("Authorization"));
    if (!credentials.isEmpty()) {
      caller(credentials, request)
          .ifPresent(caller -> CallerAuthentication.set(caller, request, response));
    }
    chain.doFilter(request, response);
    if (!request.isAsyncStarted()) {
      count(refusals, () -> actor(request), request, response);
    }
  }

  /** Counts a response if it is a refusal. */
  static void count(
      Refusals refusals,
      Supplier<Actor> actor,
      HttpServletRequest request,
      HttpServletResponse response) {
    int status =
        Objects.requireNonNullElse((Integer) request.getAttribute(REFUSED), response.getStatus());
    if (isRefusal(request, status)) {
      refusals.add(actor.get(), request.getMethod(), path(request), status);
    }
  }

  /** Also filters asynchronous answers, which may be refusals too. */
  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false;
  }

  /**
   * Whether the response is a refusal. A full queue has the same status as a back-off; and the
   * login page asks whether somebody is logged in.
   */
  private static boolean isRefusal(HttpServletRequest request, int status) {
    return switch (status) {
      case HttpServletResponse.SC_UNAUTHORIZED -> !SessionFilter.asksWhoIsLoggedIn(request);
      case HttpServletResponse.SC_FORBIDDEN -> true;
      case Problems.TOO_MANY_REQUESTS ->
          presentedAWrongToken(request) || request.getAttribute(REFUSED) != null;
      default -> false;
    };
  }

  private static String path(HttpServletRequest request) {
    String path = request.getRequestURI();
    String shown = path.length() <= PATH ? path : path.substring(0, PATH) + "…";
    Object user = request.getAttribute(USER);
    return user == null ? shown : shown + " as " + user;
  }

  /** The caller; if there is none, notes why. */
  private Optional<Admitted> caller(List<String> credentials, HttpServletRequest request) {
    String value = credentials.getFirst();
    if (credentials.size() > 1 || !value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      request.setAttribute(WRONG, true);
      return Optional.empty();
    }
    String text = value.substring(SCHEME.length()).strip();
    if (jwts != null && JwtCallers.isJwt(text)) {
      return caller(jwts.check(text), request);
    }
    Optional<Admitted> caller = tokens.admit(text);
    if (caller.isEmpty()) {
      request.setAttribute(WRONG, true);
    }
    return caller;
  }

  private static Optional<Admitted> caller(JwtCheck jwt, HttpServletRequest request) {
    if (jwt instanceof JwtCheck.Accepted accepted) {
      return Optional.of(accepted.caller());
    }
    request.setAttribute(JWT, jwt);
    if (jwt instanceof JwtCheck.Wrong) {
      request.setAttribute(WRONG, true);
    }
    return Optional.empty();
  }
}
