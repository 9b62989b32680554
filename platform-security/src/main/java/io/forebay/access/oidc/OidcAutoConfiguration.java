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
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Accepts the JWTs of an OpenID provider, and logins with it, if its groups have rights. */
@AutoConfiguration(beforeName = "io.forebay.security.SecurityAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@Conditional(OidcAutoConfiguration.Configured.class)
@EnableConfigurationProperties(OidcProperties.class)
class OidcAutoConfiguration {

  private final Clock clock = Clock.systemUTC();

  /** An application may be a resource server without giving callers rights in Forebay. */
  static final class Configured implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return Binder.get(context.getEnvironment())
          .bind(OidcProperties.PREFIX, Bindable.mapOf(String.class, Object.class))
          .isBound();
    }
  }

  @Bean
  Provider forebayOidcProvider(OidcProperties properties, Environment environment) {
    OidcProperties.Login login = properties.login();
    return new Provider(
        ResourceServer.of(environment, login == null ? null : login.clientId()),
        properties.loginOrNone(),
        clock);
  }

  @Bean
  OidcCallers forebayOidcCallers(OidcProperties properties, Provider provider) {
    return new OidcCallers(properties, provider, clock);
  }

  @Bean
  @ConditionalOnProperty("forebay.security.oidc.login.client-id")
  OidcLogin forebayOidcLogin(Provider provider, OidcCallers callers) {
    return new OidcLogin(provider, callers, clock);
  }
}
