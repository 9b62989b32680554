/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.Admitted;
import io.forebay.access.Logins;
import io.forebay.access.Tokens;
import io.forebay.access.oidc.JwtCallers;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import java.util.Enumeration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.header.writers.StaticHeadersWriter;

/**
 * What the filter chains of Forebay have in common: callers are identified by bearer tokens, by
 * JWTs of the OpenID provider, or by a session of the admin page, and refusals are problem
 * documents. Thread-safe.
 */
public final class CallerSecurity {

  private final Tokens tokens;
  private final @Nullable JwtCallers jwts;
  private final Logins logins;
  private final Refusals refusals;
  private final Problems problems;

  /**
   * @param jwts null if there is no OpenID provider
   */
  CallerSecurity(
      Tokens tokens,
      @Nullable JwtCallers jwts,
      Logins logins,
      Refusals refusals,
      Problems problems) {
    this.tokens = tokens;
    this.jwts = jwts;
    this.logins = logins;
    this.refusals = refusals;
    this.problems = problems;
  }

  /** Configures everything but the rules, which decide what a caller may request. */
  public HttpSecurity identify(HttpSecurity http) {
    return http.sessionManagement(
            session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        // A browser does not send a bearer token by itself; SessionFilter protects its cookie.
        .csrf(AbstractHttpConfigurer::disable)
        .requestCache(AbstractHttpConfigurer::disable)
        .logout(AbstractHttpConfigurer::disable)
        .addFilterBefore(
            new BearerFilter(tokens, jwts, refusals), AnonymousAuthenticationFilter.class)
        .addFilterBefore(new SessionFilter(logins, problems), AnonymousAuthenticationFilter.class)
        .exceptionHandling(
            handling -> handling.authenticationEntryPoint(problems).accessDeniedHandler(problems))
        .headers(headers -> {
          headers.defaultsDisabled();
          SecurityHeaders.ALL.forEach(
              (name, value) -> headers.addHeaderWriter(new StaticHeadersWriter(name, value)));
        });
  }

  /**
   * Identifies the caller of a request that comes without a filter chain. It admits fewer callers
   * than a chain, never more.
   *
   * @return null if the credentials are anything but one valid token; then a chain has to decide
   */
  public @Nullable Principal byToken(HttpServletRequest request) {
    Enumeration<String> credentials = request.getHeaders("Authorization");
    String value = credentials.hasMoreElements() ? credentials.nextElement() : "";
    if (credentials.hasMoreElements() || !value.startsWith(BearerFilter.SCHEME)) {
      return null;
    }
    Optional<Admitted> caller = tokens.admit(value.substring(BearerFilter.SCHEME.length()));
    caller.ifPresent(_ -> CallerAuthentication.note(request));
    return caller.map(CallerAuthentication::new).orElse(null);
  }

  /** Whether a token or a session has identified the caller of the request, in whatever thread. */
  public static boolean hasIdentified(HttpServletRequest request) {
    return CallerAuthentication.isNoted(request);
  }

  /**
   * Counts the response if it is a refusal, as a filter chain does.
   *
   * @param caller what {@link #byToken} returned
   */
  public void answered(Principal caller, HttpServletRequest request, HttpServletResponse response) {
    BearerFilter.count(
        refusals,
        () -> BearerFilter.actor((CallerAuthentication) caller, request),
        request,
        response);
  }
}
