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

/** Accepts the JWTs of an OpenID provider, if one is configured. The start does not wait for it. */
@AutoConfiguration(beforeName = "io.forebay.security.SecurityAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty("forebay.security.oidc.issuer")
@EnableConfigurationProperties(OidcProperties.class)
class OidcAutoConfiguration {

  @Bean
  JwtCallers forebayJwtCallers(OidcProperties properties) {
    return new JwtCallers(properties, Clock.systemUTC());
  }
}
