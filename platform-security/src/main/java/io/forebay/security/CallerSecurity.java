/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher.pathPattern;

import io.forebay.access.Tokens;
import io.forebay.access.oidc.OidcCallers;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.authentication.builders.AuthenticationManagerBuilder;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.security.web.header.writers.StaticHeadersWriter;
import org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestFilter;
import org.springframework.security.web.util.matcher.RequestMatcher;

/**
 * What the filter chains of Forebay have in common: callers are identified by tokens or JWTs of the
 * OpenID provider, and refusals are problem documents. Thread-safe.
 */
public final class CallerSecurity {

  private static final String SCHEME = "Bearer ";
  private static final RequestMatcher METADATA =
      pathPattern("/.well-known/oauth-protected-resource/**");

  private final Tokens tokens;
  private final BearerTokens bearer;
  private final Refusals refusals;
  private final Problems problems = new Problems();

  /**
   * @param jwts null if there is no OpenID provider
   */
  CallerSecurity(Tokens tokens, @Nullable OidcCallers jwts, Refusals refusals) {
    this.tokens = tokens;
    this.bearer = new BearerTokens(tokens, jwts);
    this.refusals = refusals;
  }

  /** Configures everything but the rules, which decide what a caller may request. */
  public HttpSecurity identify(HttpSecurity http) {
    return stateless(http, false);
  }

  /**
   * The same without sessions.
   *
   * @param own whether the chain has the rules of Forebay's endpoints
   */
  HttpSecurity stateless(HttpSecurity http, boolean own) {
    return withBearer(http, own)
        .sessionManagement(
            session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        // A browser does not send a bearer token by itself.
        .csrf(AbstractHttpConfigurer::disable);
  }

  /** The same for a chain with sessions. */
  HttpSecurity withBearer(HttpSecurity http, boolean own) {
    if (own) { // neither the users nor the prefix of roles of the application count here
      http.getSharedObject(AuthenticationManagerBuilder.class).parentAuthenticationManager(null);
      http.servletApi(it -> it.withObjectPostProcessor(new OwnRoles()));
    }
    return http.requestCache(AbstractHttpConfigurer::disable)
        .cors(AbstractHttpConfigurer::disable) // that of the application is for its own paths
        .logout(AbstractHttpConfigurer::disable)
        .addFilterAfter(new RefusalFilter(refusals, own), SecurityContextHolderFilter.class)
        .addFilterAfter(CallerSecurity::hideMetadata, RefusalFilter.class)
        .oauth2ResourceServer(server ->
            server
                .bearerTokenResolver(bearer)
                .jwt(jwt -> jwt.authenticationManager(bearer))
                .authenticationEntryPoint(problems)
                .accessDeniedHandler(problems))
        .exceptionHandling(
            handling -> handling.authenticationEntryPoint(problems).accessDeniedHandler(problems))
        .headers(headers -> {
          headers.defaultsDisabled();
          SecurityHeaders.ALL.forEach(
              (name, value) -> headers.addHeaderWriter(new StaticHeadersWriter(name, value)));
        });
  }

  private static final class OwnRoles
      implements ObjectPostProcessor<SecurityContextHolderAwareRequestFilter> {

    @Override
    public <O extends SecurityContextHolderAwareRequestFilter> O postProcess(O filter) {
      filter.setRolePrefix("ROLE_");
      return filter;
    }
  }

  /** Spring's resource server would describe itself to anybody, and not as it is. */
  private static void hideMetadata(
      ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (METADATA.matches((HttpServletRequest) request)) {
      Problems.denied()
          .write((HttpServletResponse) response, ((HttpServletRequest) request).getRequestURI());
    } else {
      chain.doFilter(request, response);
    }
  }

  /**
   * Identifies the caller of a request with one statement that comes without a filter chain. It
   * admits fewer requests than the rule of the chain, never more.
   *
   * @return null if the rule does not cover the request, or the credentials are anything but one
   *     valid token; then a chain has to decide
   */
  public @Nullable Principal byToken(HttpServletRequest request) {
    var credentials = request.getHeaders(HttpHeaders.AUTHORIZATION);
    String value = credentials.hasMoreElements() ? credentials.nextElement() : "";
    if (credentials.hasMoreElements()
        || !value.startsWith(SCHEME)
        || !OwnPaths.ONE_STATEMENT.matches(request)) {
      return null;
    }
    CallerAuthentication caller =
        tokens.admit(value.substring(SCHEME.length())).map(CallerAuthentication::new).orElse(null);
    if (caller != null) {
      RefusalFilter.noteIdentified(request);
    }
    return caller;
  }

  /** Whether the caller of the request was identified, in whatever thread. */
  public static boolean hasIdentified(HttpServletRequest request) {
    return RefusalFilter.hasIdentified(request);
  }

  /**
   * Counts the response if it is a refusal, as a filter chain does.
   *
   * @param caller what {@link #byToken} returned
   */
  public void answered(Principal caller, HttpServletRequest request, HttpServletResponse response) {
    RefusalFilter.count(
        refusals,
        ((CallerAuthentication) caller).actor(RefusalFilter.address(request)),
        request,
        response);
  }
}
