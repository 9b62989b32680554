/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import io.forebay.access.Admitted;
import io.forebay.access.LoginDelay;
import io.forebay.access.Refused;
import java.net.http.HttpClient;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.converter.FormHttpMessageConverter;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.oauth2.client.OAuth2LoginConfigurer;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.http.OAuth2ErrorResponseErrorHandler;
import org.springframework.security.oauth2.client.oidc.authentication.OidcAuthorizationCodeAuthenticationProvider;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenDecoderFactory;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenValidator;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestRedirectFilter;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.security.oauth2.core.oidc.user.DefaultOidcUser;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.authentication.AuthenticationFailureHandler;
import org.springframework.web.client.RestClient;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The login with the OpenID provider, by the authorization code flow with PKCE, state and nonce.
 * Forebay keeps no token of the provider.
 */
public final class OidcLogin {

  /** Where a login begins. */
  public static final String BEGIN = "/admin/api/v1/oidc/login/provider";

  /** Where the provider sends the browser back to. */
  public static final String CALLBACK = "/admin/api/v1/oidc/callback";

  /** The end of {@link #BEGIN}, as Spring's resolver has it. */
  static final String ID = "provider";

  /** Their name for the delay; no user has a colon in its name. */
  private static final String USERS = "oidc:";

  private final Provider provider;
  private final OidcCallers callers;
  private final Clock clock;

  OidcLogin(Provider provider, OidcCallers callers, Clock clock) {
    this.provider = provider;
    this.callers = callers;
    this.clock = clock;
  }

  /**
   * Configures everything but what happens after a login.
   *
   * @param delay for those who send codes that the provider does not know: anybody can make them
   *     up, and each is a request to the provider
   */
  public void configure(
      OAuth2LoginConfigurer<HttpSecurity> login,
      AuthenticationFailureHandler failures,
      LoginDelay delay) {
    RestClientAuthorizationCodeTokenResponseClient client = tokens();
    DefaultOAuth2AuthorizationRequestResolver resolver =
        new DefaultOAuth2AuthorizationRequestResolver(
            this::registration, BEGIN.substring(0, BEGIN.lastIndexOf('/')));
    resolver.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    login
        .loginPage("/admin/")
        .clientRegistrationRepository(this::registration)
        .authorizedClientRepository(new NoClients())
        .authorizationEndpoint(begin ->
            begin
                .authorizationRequestResolver(resolver)
                .authorizationRequestRepository(new LoginInProgress()))
        .redirectionEndpoint(callback -> callback.baseUri(CALLBACK))
        .tokenEndpoint(tokens ->
            tokens.accessTokenResponseClient(
                request -> delay.attempt(address(), USERS, () -> client.getTokenResponse(request))))
        .userInfoEndpoint(user ->
            user.oidcUserService(request ->
                new DefaultOidcUser(AuthorityUtils.NO_AUTHORITIES, request.getIdToken())))
        .failureHandler(failures)
        .withObjectPostProcessor(
            new ObjectPostProcessor<OAuth2AuthorizationRequestRedirectFilter>() {
              @Override
              public <O extends OAuth2AuthorizationRequestRedirectFilter> O postProcess(O filter) {
                filter.setAuthenticationFailureHandler(failures);
                return filter;
              }
            });
    login.withObjectPostProcessor(
        new ObjectPostProcessor<OidcAuthorizationCodeAuthenticationProvider>() {
          @Override
          public <O extends OidcAuthorizationCodeAuthenticationProvider> O postProcess(O it) {
            it.setJwtDecoderFactory(OidcLogin.this::decoder);
            return it;
          }
        });
  }

  /**
   * The user as a caller.
   *
   * @throws Refused if none of the user's groups has rights
   */
  public Admitted caller(OidcUser user, Duration lifetime) {
    return callers.caller(user.getClaims(), clock.instant().plus(lifetime));
  }

  private static String address() {
    return ((ServletRequestAttributes) RequestContextHolder.currentRequestAttributes())
        .getRequest()
        .getRemoteAddr();
  }

  private @Nullable ClientRegistration registration(String id) {
    return id.equals(ID) ? provider.client() : null;
  }

  private JwtDecoder decoder(ClientRegistration client) {
    OidcIdTokenValidator idTokens = new OidcIdTokenValidator(client);
    idTokens.setClock(clock);
    idTokens.setClockSkew(OidcCallers.CLOCK_SKEW);
    NimbusJwtDecoder decoder = provider.decoder();
    decoder.setJwtValidator(
        new DelegatingOAuth2TokenValidator<>(OidcCallers.time(clock), idTokens));
    decoder.setClaimSetConverter(OidcIdTokenDecoderFactory.createDefaultClaimTypeConverter());
    return provider.patient(decoder);
  }

  /** Spring's client, with time-outs. */
  private static RestClientAuthorizationCodeTokenResponseClient tokens() {
    Duration timeout = Duration.ofMillis(Provider.TIMEOUT_MILLIS);
    JdkClientHttpRequestFactory http =
        new JdkClientHttpRequestFactory(HttpClient.newBuilder().connectTimeout(timeout).build());
    http.setReadTimeout(timeout.multipliedBy(2));
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
}
