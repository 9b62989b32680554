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

/** Accepts the JWTs of an OpenID provider, and logins with it, if one is configured. */
@AutoConfiguration(beforeName = "io.forebay.security.SecurityAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty("forebay.security.oidc.issuer")
@EnableConfigurationProperties(OidcProperties.class)
class OidcAutoConfiguration {

  private final Clock clock = Clock.systemUTC();

  @Bean
  Provider forebayOidcProvider(OidcProperties properties) {
    return new Provider(properties, clock);
  }

  @Bean
  OidcCallers forebayOidcCallers(OidcProperties properties, Provider provider) {
    return new OidcCallers(properties, provider, clock);
  }

  @Bean
  @ConditionalOnProperty("forebay.security.oidc.login.client-id")
  OidcLogin forebayOidcLogin(OidcProperties properties, Provider provider, OidcCallers callers) {
    return new OidcLogin(properties, provider, callers, clock);
  }
}
