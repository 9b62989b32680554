/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import io.forebay.background.Outage;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
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
import org.springframework.web.client.RestClient;

/**
 * Logs users in by the authorization code flow of OpenID Connect, with PKCE, state and nonce. What
 * a login needs when the browser comes back is in a cookie of that browser, so any instance can
 * finish it. Thread-safe.
 */
public final class OidcLogin {

  private static final Logger log = LoggerFactory.getLogger(OidcLogin.class);

  private static final String ID = "oidc";
  private static final String SEPARATOR = "\n";

  /** How long the addresses of the provider count, and how long it is not asked after a failure. */
  private static final Duration FRESH = Duration.ofMinutes(5);

  private static final Duration PAUSE = Duration.ofSeconds(5);

  private final OidcProperties properties;
  private final OidcProperties.Login login;
  private final String redirect;
  private final Discovery discovery;
  private final JwtCallers jwts;
  private final Clock clock;
  private final OidcAuthorizationCodeAuthenticationProvider library;
  private final Outage outage =
      new Outage(
          log, "A login with the OpenID provider", "users can log in with a password of Forebay");
  private @Nullable ClientRegistration known;
  private Instant ask = Instant.MIN;

  OidcLogin(OidcProperties properties, String path, JwtCallers jwts, Clock clock) {
    this.properties = properties;
    this.login = Objects.requireNonNull(properties.login());
    this.redirect = "{baseUrl}" + path;
    this.discovery = new Discovery(Objects.requireNonNull(properties.issuer()));
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
    ClientRegistration client = client();
    if (client == null) {
      return Optional.empty();
    }
    DefaultOAuth2AuthorizationRequestResolver resolver =
        new DefaultOAuth2AuthorizationRequestResolver(
            new InMemoryClientRegistrationRepository(client));
    resolver.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    OAuth2AuthorizationRequest begun = Objects.requireNonNull(resolver.resolve(request, ID));
    String parts =
        String.join(
            SEPARATOR,
            Objects.requireNonNull(begun.getState()),
            attribute(begun, OidcParameterNames.NONCE),
            attribute(begun, PkceParameterNames.CODE_VERIFIER),
            Objects.requireNonNull(begun.getRedirectUri()));
    return Optional.of(
        new Begun(
            begun.getAuthorizationRequestUri(),
            Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(parts.getBytes(StandardCharsets.UTF_8))));
  }

  private static String attribute(OAuth2AuthorizationRequest begun, String name) {
    return Objects.requireNonNull(begun.<String>getAttribute(name));
  }

  /**
   * Finishes a login: exchanges the code, and checks the ID token.
   *
   * @param request the request with which the browser came back
   * @param cookie the cookie of the beginning; null if there is none
   */
  public JwtCheck finish(HttpServletRequest request, @Nullable String cookie) {
    String[] parts = parts(cookie);
    String state = request.getParameter(OAuth2ParameterNames.STATE);
    if (parts.length != 4 || state == null) {
      return new JwtCheck.Wrong("it was not begun in this browser, or too long ago");
    }
    ClientRegistration client = client();
    if (client == null) {
      return new JwtCheck.Unchecked();
    }
    OAuth2AuthorizationRequest begun =
        OAuth2AuthorizationRequest.authorizationCode()
            .clientId(client.getClientId())
            .authorizationUri(
                Objects.requireNonNull(client.getProviderDetails().getAuthorizationUri()))
            .redirectUri(parts[3])
            .scopes(client.getScopes())
            .state(parts[0])
            .attributes(
                Map.of(
                    OAuth2ParameterNames.REGISTRATION_ID,
                    ID,
                    OidcParameterNames.NONCE,
                    parts[1],
                    PkceParameterNames.CODE_VERIFIER,
                    parts[2]))
            .build();
    String code = request.getParameter(OAuth2ParameterNames.CODE);
    OAuth2AuthorizationResponse answer =
        (code == null
                ? OAuth2AuthorizationResponse.error("refused")
                : OAuth2AuthorizationResponse.success(code))
            .redirectUri(parts[3])
            .state(state)
            .build();
    try {
      OidcUser user =
          (OidcUser)
              Objects.requireNonNull(
                      library.authenticate(
                          new OAuth2LoginAuthenticationToken(
                              client, new OAuth2AuthorizationExchange(begun, answer))))
                  .getPrincipal();
      outage.over();
      return jwts.rights(
          Objects.requireNonNull(user).getClaims(),
          Objects.requireNonNull(user.getIdToken().getExpiresAt()));
    } catch (AuthenticationException e) {
      log.info("A login with the OpenID provider was refused: {}", e.getMessage());
      return isAway(e)
          ? new JwtCheck.Unchecked()
          : new JwtCheck.Wrong("the provider or its answer does not confirm it");
    }
  }

  private static String[] parts(@Nullable String cookie) {
    if (cookie == null) {
      return new String[0];
    }
    try {
      return new String(Base64.getUrlDecoder().decode(cookie), StandardCharsets.UTF_8)
          .split(SEPARATOR, -1);
    } catch (IllegalArgumentException e) {
      return new String[0];
    }
  }

  private static boolean isAway(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof IOException
          || each instanceof JwtException && !(each instanceof BadJwtException)) {
        return true;
      }
    }
    return false;
  }

  /** The client at the provider; null if the provider does not respond. */
  private synchronized @Nullable ClientRegistration client() {
    Instant now = clock.instant();
    if (now.isBefore(ask)) {
      return known;
    }
    try {
      known = register();
      ask = now.plus(FRESH);
      outage.over();
    } catch (IOException | ParseException | IllegalArgumentException e) {
      known = null;
      ask = now.plus(PAUSE);
      outage.failed(e);
    }
    return known;
  }

  private ClientRegistration register() throws IOException, ParseException {
    Map<String, Object> document = discovery.document();
    for (String name : new String[] {"authorization_endpoint", "token_endpoint", "jwks_uri"}) {
      discovery.address(document, name);
    }
    ClientRegistration.Builder client =
        ClientRegistrations.fromOidcConfiguration(document)
            .registrationId(ID)
            .clientId(login.clientId())
            .redirectUri(redirect)
            .scope(login.scopes());
    if (login.clientSecret() == null) {
      client.clientAuthenticationMethod(ClientAuthenticationMethod.NONE);
    } else {
      client.clientSecret(login.clientSecret());
    }
    return client.build();
  }
}
