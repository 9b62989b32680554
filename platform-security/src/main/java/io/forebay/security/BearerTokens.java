/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.Refused;
import io.forebay.access.Tokens;
import io.forebay.access.oidc.OidcCallers;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Enumeration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.server.resource.BearerTokenErrors;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthenticationToken;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationProvider;
import org.springframework.security.oauth2.server.resource.web.BearerTokenResolver;
import org.springframework.security.oauth2.server.resource.web.DefaultBearerTokenResolver;

/** Identifies callers by their tokens, or by JWTs of the OpenID provider. Thread-safe. */
final class BearerTokens implements AuthenticationManager, BearerTokenResolver {

  private final Tokens tokens;
  private final @Nullable JwtAuthenticationProvider jwts;
  private final BearerTokenResolver resolver = new DefaultBearerTokenResolver();

  /**
   * @param callers null if there is no OpenID provider
   */
  BearerTokens(Tokens tokens, @Nullable OidcCallers callers) {
    this.tokens = tokens;
    this.jwts = callers == null ? null : provider(callers);
  }

  private static JwtAuthenticationProvider provider(OidcCallers callers) {
    JwtAuthenticationProvider provider = new JwtAuthenticationProvider(callers.decoder());
    provider.setJwtAuthenticationConverter(jwt ->
        new CallerAuthentication(
            callers.caller(jwt.getClaims(), Objects.requireNonNull(jwt.getExpiresAt()))));
    return provider;
  }

  /** A proxy and Forebay might take different ones of several headers. */
  @Override
  public @Nullable String resolve(HttpServletRequest request) {
    Enumeration<String> credentials = request.getHeaders(HttpHeaders.AUTHORIZATION);
    if (credentials.hasMoreElements()) {
      credentials.nextElement();
      if (credentials.hasMoreElements()) {
        throw new OAuth2AuthenticationException(
            BearerTokenErrors.invalidToken("several headers Authorization"));
      }
    }
    return resolver.resolve(request);
  }

  @Override
  public Authentication authenticate(Authentication presented) {
    String text = ((BearerTokenAuthenticationToken) presented).getToken();
    if (jwts != null && OidcCallers.isJwt(text)) {
      return jwts.authenticate(presented);
    }
    if (tokens.areOutdated()) {
      throw new Refused(
          new Problem(
                  ProblemType.UNAVAILABLE,
                  "The tokens were read too long ago, and the system database does not respond;"
                      + " retry later")
              .retryAfter(Problems.RETRY));
    }
    return tokens
        .admit(text)
        .map(CallerAuthentication::new)
        .orElseThrow(() ->
            tokens
                .ended(text)
                .map(owner -> new Refused(Problems.endedToken(), owner))
                .orElseGet(() -> new Refused(Problems.unknownToken())));
  }
}
