/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.provider;

import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.security.oauth2.server.authorization.token.JwtEncodingContext;
import org.springframework.security.oauth2.server.authorization.token.OAuth2TokenCustomizer;

/**
 * Spring Authorization Server as Spring Boot configures it: clients are properties below {@code
 * spring.security.oauth2.authorizationserver.client}. Each start generates another key. The access
 * tokens of a client have the audience and the groups of {@code provider.<client>.audience} and
 * {@code provider.<client>.groups}.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class ProviderMain {

  public static void main(String[] arguments) {
    SpringApplication.run(ProviderMain.class, arguments);
  }

  @Bean
  OAuth2TokenCustomizer<JwtEncodingContext> claims(Environment environment) {
    return token -> {
      String client = "provider." + token.getRegisteredClient().getClientId();
      List<?> groups = environment.getProperty(client + ".groups", List.class, List.of());
      String audience = environment.getProperty(client + ".audience", "");
      token.getClaims().claim("groups", groups);
      if (!audience.isEmpty()) {
        token.getClaims().audience(List.of(audience));
      }
    };
  }
}
