/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.converter.FormHttpMessageConverter;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.client.authentication.OAuth2LoginAuthenticationToken;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.http.OAuth2ErrorResponseErrorHandler;
import org.springframework.security.oauth2.client.oidc.authentication.OidcAuthorizationCodeAuthenticationProvider;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenDecoderFactory;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenValidator;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationExchange;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationResponse;
import org.springframework.security.oauth2.core.endpoint.OAuth2ParameterNames;
import org.springframework.security.oauth2.core.endpoint.PkceParameterNames;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.security.oauth2.core.oidc.endpoint.OidcParameterNames;
import org.springframework.security.oauth2.core.oidc.user.DefaultOidcUser;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;

/**
 * Logs users in by the authorization code flow of OpenID Connect, with PKCE, state and nonce. What
 * a login needs when the browser comes back is in a cookie of that browser, so any instance can
 * finish it. Thread-safe.
 */
public final class OidcLogin {

  private static final Logger log = LoggerFactory.getLogger(OidcLogin.class);

  private static final String ID = "oidc";
  private static final String REFUSED = "A login with the OpenID provider was refused";
  private static final String SEPARATOR = "\n";

  /** As RFC 6749 allows, section 4.1.2.1. */
  private static final Pattern PLAIN = Pattern.compile("[\\x20-\\x7e&&[^\"\\\\]]{1,300}");

  private final OidcProperties properties;
  private final ProviderClient clients;
  private final JwtCallers jwts;
  private final Clock clock;
  private final OidcAuthorizationCodeAuthenticationProvider library;

  OidcLogin(OidcProperties properties, String path, JwtCallers jwts, Clock clock) {
    this.properties = properties;
    this.clients = new ProviderClient(properties, ID, "{baseUrl}" + path, clock);
    this.jwts = jwts;
    this.clock = clock;
    this.library =
        new OidcAuthorizationCodeAuthenticationProvider(
            tokens(),
            request ->
                new DefaultOidcUser(
                    AuthorityUtils.createAuthorityList("OIDC_USER"), request.getIdToken()));
    library.setJwtDecoderFactory(this::decoder);
  }

  /**
   * A login that a browser has begun.
   *
   * @param state what the provider must send back with the browser
   * @param redirect where it sends the browser back to
   */
  public record Pending(String state, String nonce, String verifier, String redirect) {

    String cookie() {
      byte[] text =
          String.join(SEPARATOR, state, nonce, verifier, redirect).getBytes(StandardCharsets.UTF_8);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(text);
    }

    static Optional<Pending> of(String cookie) {
      try {
        String text = new String(Base64.getUrlDecoder().decode(cookie), StandardCharsets.UTF_8);
        String[] parts = text.split(SEPARATOR, -1);
        return parts.length == 4
            ? Optional.of(new Pending(parts[0], parts[1], parts[2], parts[3]))
            : Optional.empty();
      } catch (IllegalArgumentException e) {
        return Optional.empty();
      }
    }

    /** Without what nobody else may know. */
    @Override
    public String toString() {
      return "Pending[redirect=%s]".formatted(redirect);
    }
  }

  /**
   * The beginning of a login.
   *
   * @param location where to send the browser
   * @param cookie what only this browser must send when it comes back
   */
  public record Begun(String location, String cookie) {}

  private static RestClientAuthorizationCodeTokenResponseClient tokens() {
    JdkClientHttpRequestFactory http =
        new JdkClientHttpRequestFactory(
            HttpClient.newBuilder()
                .connectTimeout(Duration.ofMillis(Discovery.TIMEOUT_MILLIS))
                .build());
    http.setReadTimeout(Duration.ofMillis(2L * Discovery.TIMEOUT_MILLIS));
    RestClientAuthorizationCodeTokenResponseClient tokens =
        new RestClientAuthorizationCodeTokenResponseClient();
    tokens.setRestClient(
        RestClient.builder()
            .requestFactory(http)
            .configureMessageConverters(all ->
                all.addCustomConverter(new FormHttpMessageConverter())
                    .addCustomConverter(new OAuth2AccessTokenResponseHttpMessageConverter()))
            .defaultStatusHandler(new OAuth2ErrorResponseErrorHandler())
            .build());
    return tokens;
  }

  private JwtDecoder decoder(ClientRegistration client) {
    NimbusJwtDecoder decoder = jwts.newDecoder();
    OidcIdTokenValidator idTokens = new OidcIdTokenValidator(client);
    idTokens.setClock(clock);
    idTokens.setClockSkew(properties.clockSkew());
    JwtTimestampValidator time = new JwtTimestampValidator(properties.clockSkew());
    time.setClock(clock);
    decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(time, idTokens));
    decoder.setClaimSetConverter(OidcIdTokenDecoderFactory.createDefaultClaimTypeConverter());
    return decoder;
  }

  /**
   * Begins a login.
   *
   * @return empty if the provider does not respond
   */
  public Optional<Begun> begin(HttpServletRequest request) {
    ClientRegistration client = clients.get();
    if (client == null) {
      return Optional.empty();
    }
    DefaultOAuth2AuthorizationRequestResolver resolver =
        new DefaultOAuth2AuthorizationRequestResolver(
            new InMemoryClientRegistrationRepository(client));
    resolver.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    OAuth2AuthorizationRequest begun = Objects.requireNonNull(resolver.resolve(request, ID));
    Pending pending =
        new Pending(
            Objects.requireNonNull(begun.getState()),
            attribute(begun, OidcParameterNames.NONCE),
            attribute(begun, PkceParameterNames.CODE_VERIFIER),
            Objects.requireNonNull(begun.getRedirectUri()));
    return Optional.of(new Begun(begun.getAuthorizationRequestUri(), pending.cookie()));
  }

  private static String attribute(OAuth2AuthorizationRequest begun, String name) {
    return Objects.requireNonNull(begun.<String>getAttribute(name));
  }

  /**
   * The login with which a browser comes back.
   *
   * @param cookie the cookie of the beginning; null if there is none
   * @return empty if this browser did not begin it, or too long ago
   */
  public Optional<Pending> pending(HttpServletRequest request, @Nullable String cookie) {
    return Optional.ofNullable(cookie)
        .flatMap(Pending::of)
        .filter(it -> it.state().equals(request.getParameter(OAuth2ParameterNames.STATE)));
  }

  /**
   * Finishes a login: exchanges the code, and checks the ID token.
   *
   * @param request the request with which the browser came back
   */
  public JwtCheck finish(HttpServletRequest request, Pending pending) {
    ClientRegistration client = clients.get();
    if (client == null) {
      return new JwtCheck.Unchecked();
    }
    OAuth2AuthorizationRequest begun =
        OAuth2AuthorizationRequest.authorizationCode()
            .clientId(client.getClientId())
            .authorizationUri(
                Objects.requireNonNull(client.getProviderDetails().getAuthorizationUri()))
            .redirectUri(pending.redirect())
            .scopes(client.getScopes())
            .state(pending.state())
            .attributes(
                Map.of(
                    OAuth2ParameterNames.REGISTRATION_ID,
                    ID,
                    OidcParameterNames.NONCE,
                    pending.nonce(),
                    PkceParameterNames.CODE_VERIFIER,
                    pending.verifier()))
            .build();
    OAuth2AuthorizationResponse answer =
        answer(request).redirectUri(pending.redirect()).state(pending.state()).build();
    try {
      OidcUser user =
          (OidcUser)
              Objects.requireNonNull(
                      library.authenticate(
                          new OAuth2LoginAuthenticationToken(
                              client, new OAuth2AuthorizationExchange(begun, answer))))
                  .getPrincipal();
      JwtCheck check =
          jwts.rights(
              Objects.requireNonNull(user).getClaims(),
              Objects.requireNonNull(user.getIdToken().getExpiresAt()));
      if (check instanceof JwtCheck.Wrong(String why)) {
        log.info("{}: {}", REFUSED, why);
      }
      return check;
    } catch (AuthenticationException e) {
      log.info("{}: {}", REFUSED, e.getMessage());
      return isAway(e)
          ? new JwtCheck.Unchecked()
          : new JwtCheck.Wrong("the provider or its answer does not confirm it");
    }
  }

  private static OAuth2AuthorizationResponse.Builder answer(HttpServletRequest request) {
    String code = request.getParameter(OAuth2ParameterNames.CODE);
    return code != null
        ? OAuth2AuthorizationResponse.success(code)
        : OAuth2AuthorizationResponse.error(plain(request, OAuth2ParameterNames.ERROR))
            .errorDescription(plain(request, OAuth2ParameterNames.ERROR_DESCRIPTION));
  }

  /** A text of the provider for the log; without any that could be taken for another line of it. */
  private static String plain(HttpServletRequest request, String name) {
    String text = request.getParameter(name);
    return text != null && PLAIN.matcher(text).matches() ? text : "no " + name;
  }

  private static boolean isAway(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof IOException
          || each instanceof HttpServerErrorException
          || each instanceof JwtException && !(each instanceof BadJwtException)) {
        return true;
      }
    }
    return false;
  }
}
