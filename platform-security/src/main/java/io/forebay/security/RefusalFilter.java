/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher.pathPattern;

import io.forebay.access.Role;
import io.forebay.operations.Actor;
import io.forebay.operations.Loopback;
import io.forebay.web.ProblemResolver;
import io.forebay.web.ProblemType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.security.web.util.matcher.RequestMatcher;
import org.springframework.web.filter.OncePerRequestFilter;

/** Counts refused requests of a filter chain, and notes whose requests they are. */
final class RefusalFilter extends OncePerRequestFilter {

  private static final Logger log = LoggerFactory.getLogger(RefusalFilter.class);

  private static final String OWN = RefusalFilter.class.getName() + ".own";
  private static final String IDENTIFIED = RefusalFilter.class.getName() + ".identified";
  private static final String STATUS = RefusalFilter.class.getName() + ".status";
  private static final String ACTOR = RefusalFilter.class.getName() + ".actor";
  private static final String USER = RefusalFilter.class.getName() + ".user";

  private static final RequestMatcher ME = pathPattern(HttpMethod.GET, OwnPaths.PAGE + "/me");
  private static final int PATH = 200;
  private static final int ADDRESS = 60;

  private final Refusals refusals;
  private final boolean own;
  private final AtomicBoolean warned = new AtomicBoolean();

  /**
   * @param own whether the chain has the rules of Forebay's endpoints
   */
  RefusalFilter(Refusals refusals, boolean own) {
    this.refusals = refusals;
    this.own = own;
  }

  /** Whether the request has passed a chain with the rules of Forebay's endpoints. */
  static boolean hasPassedOwnRules(HttpServletRequest request) {
    return request.getAttribute(OWN) != null;
  }

  /** Whether the caller of the request was identified, in whatever thread. */
  static boolean hasIdentified(HttpServletRequest request) {
    return request.getAttribute(IDENTIFIED) != null;
  }

  static void noteIdentified(HttpServletRequest request) {
    request.setAttribute(IDENTIFIED, true);
  }

  /** Makes a request count as refused whose answer has another status. */
  static void noteRefusal(HttpServletRequest request, HttpStatus status) {
    request.setAttribute(STATUS, status.value());
  }

  /** Notes the sender of a request that is refused although the sender is known. */
  static void noteActor(HttpServletRequest request, Actor actor) {
    request.setAttribute(ACTOR, actor);
  }

  /** Notes the user concerned. */
  static void noteUser(HttpServletRequest request, String name) {
    request.setAttribute(USER, name);
  }

  /** The sender of the request that this thread handles. */
  static Actor actor(HttpServletRequest request) {
    if (request.getAttribute(ACTOR) instanceof Actor noted) {
      return noted;
    }
    String address = address(request);
    return CallerAuthentication.current()
        .map(caller -> caller.actor(address))
        .orElse(new Actor(Actor.Kind.ANONYMOUS, "anonymous", Role.NONE.text(), address));
  }

  /** Where the request came from; a proxy may have forwarded any text. */
  static String address(HttpServletRequest request) {
    String address = request.getRemoteAddr();
    return address.length() <= ADDRESS ? address : address.substring(0, ADDRESS) + "…";
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (own) {
      request.setAttribute(OWN, true);
    }
    chain.doFilter(request, response);
    if (CallerAuthentication.current().isPresent()) {
      noteIdentified(request);
      warnOfPlainText(request);
    }
    if (!request.isAsyncStarted()) {
      count(refusals, actor(request), request, response);
    }
  }

  /** Warns once. A start cannot say whether a proxy encrypts, and who connects. */
  private void warnOfPlainText(HttpServletRequest request) {
    boolean isPrivate = request.isSecure() || Loopback.isHost(request.getRemoteAddr());
    if (!isPrivate && !warned.getAndSet(true)) {
      log.warn(
          "Credentials have crossed the network in plain text (a caller at {}); set"
              + " server.ssl.bundle, or server.forward-headers-strategy behind a proxy that"
              + " encrypts (docs/security.md)",
          address(request));
    }
  }

  /** Also filters asynchronous answers, which may be refusals too. */
  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false;
  }

  /** Counts a response if it is a refusal. */
  static void count(
      Refusals refusals, Actor actor, HttpServletRequest request, HttpServletResponse response) {
    @Nullable Integer noted = (Integer) request.getAttribute(STATUS);
    int status = Objects.requireNonNullElse(noted, response.getStatus());
    boolean isRefusal =
        noted != null
            || status == HttpServletResponse.SC_FORBIDDEN
            || request.getAttribute(ProblemResolver.TYPE) == ProblemType.TOO_MANY_FAILURES
            || status == HttpServletResponse.SC_UNAUTHORIZED && !asksWhoIsLoggedIn(request);
    if (isRefusal) {
      Refusals.Names names =
          request.getAttribute(USER) != null
              ? Refusals.Names.USER
              : actor.kind() == Actor.Kind.ANONYMOUS
                  ? Refusals.Names.NOBODY
                  : Refusals.Names.CALLER;
      refusals.add(actor, request.getMethod(), path(request), status, names);
    }
  }

  /** Whether it is the question of the page before a login, without any credentials. */
  private static boolean asksWhoIsLoggedIn(HttpServletRequest request) {
    return ME.matches(request)
        && request.getHeader(HttpHeaders.AUTHORIZATION) == null
        && !LoginCookie.isIn(request);
  }

  private static String path(HttpServletRequest request) {
    String path = request.getRequestURI();
    String shown = path.length() <= PATH ? path : path.substring(0, PATH) + "…";
    Object user = request.getAttribute(USER);
    return user == null ? shown : shown + " as " + user;
  }
}
