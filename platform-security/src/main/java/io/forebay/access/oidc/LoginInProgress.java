/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import io.forebay.access.PageCookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.client.web.AuthorizationRequestRepository;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.oauth2.core.endpoint.OAuth2ParameterNames;
import org.springframework.security.oauth2.core.endpoint.PkceParameterNames;
import org.springframework.security.oauth2.core.oidc.endpoint.OidcParameterNames;

/**
 * Keeps what a login needs when the browser comes back in a cookie of that browser: any instance
 * can finish it, no other browser can, and whoever begins logins takes no memory.
 */
final class LoginInProgress implements AuthorizationRequestRepository<OAuth2AuthorizationRequest> {

  /** The browser comes back from another site, with which it sends no strict cookie. */
  private static final PageCookie COOKIE =
      new PageCookie("forebay-login", "/admin/api/v1/oidc", "Lax");

  private static final Duration LONGEST = Duration.ofMinutes(10);

  @Override
  public void saveAuthorizationRequest(
      @Nullable OAuth2AuthorizationRequest begun,
      HttpServletRequest request,
      HttpServletResponse response) {
    if (begun != null) {
      String text =
          String.join(
              "\n",
              begun.getState(),
              begun.<String>getAttribute(OidcParameterNames.NONCE),
              begun.<String>getAttribute(PkceParameterNames.CODE_VERIFIER),
              begun.getRedirectUri());
      String value =
          Base64.getUrlEncoder()
              .withoutPadding()
              .encodeToString(text.getBytes(StandardCharsets.UTF_8));
      COOKIE.write(value, LONGEST, request, response);
    }
  }

  @Override
  public @Nullable OAuth2AuthorizationRequest loadAuthorizationRequest(HttpServletRequest request) {
    String[] parts = parts(Objects.requireNonNullElse(COOKIE.read(request), ""));
    if (parts.length != 4 || !parts[0].equals(request.getParameter(OAuth2ParameterNames.STATE))) {
      return null;
    }
    return OAuth2AuthorizationRequest.authorizationCode()
        .state(parts[0])
        .redirectUri(parts[3])
        .clientId(OidcLogin.ID) // this and the address are required, and not used any more
        .authorizationUri(OidcLogin.BEGIN)
        .scope("openid")
        .attributes(
            Map.of(
                OAuth2ParameterNames.REGISTRATION_ID,
                OidcLogin.ID,
                OidcParameterNames.NONCE,
                parts[1],
                PkceParameterNames.CODE_VERIFIER,
                parts[2]))
        .build();
  }

  private static String[] parts(String value) {
    try {
      return new String(Base64.getUrlDecoder().decode(value), StandardCharsets.UTF_8)
          .split("\n", -1);
    } catch (IllegalArgumentException e) {
      return new String[0];
    }
  }

  @Override
  public @Nullable OAuth2AuthorizationRequest removeAuthorizationRequest(
      HttpServletRequest request, HttpServletResponse response) {
    COOKIE.write("", Duration.ZERO, request, response);
    return loadAuthorizationRequest(request);
  }
}
