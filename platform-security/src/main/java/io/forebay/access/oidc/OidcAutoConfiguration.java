/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import java.time.Clock;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Accepts the JWTs of an OpenID provider, and logins with it, if one is configured. The start does
 * not wait for it.
 */
@AutoConfiguration(beforeName = "io.forebay.security.SecurityAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty("forebay.security.oidc.issuer")
@EnableConfigurationProperties(OidcProperties.class)
class OidcAutoConfiguration {

  /** Where the provider sends the browser back to. */
  private static final String CALLBACK = "/admin/api/v1/oidc/callback";

  @Bean
  JwtCallers forebayJwtCallers(OidcProperties properties) {
    return new JwtCallers(properties, Clock.systemUTC());
  }

  @Bean
  @ConditionalOnProperty("forebay.security.oidc.login.client-id")
  OidcLogin forebayOidcLogin(OidcProperties properties, JwtCallers jwts) {
    return new OidcLogin(properties, CALLBACK, jwts, Clock.systemUTC());
  }
}
