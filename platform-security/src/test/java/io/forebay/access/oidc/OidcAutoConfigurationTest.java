/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.operations.StartRefused;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

class OidcAutoConfigurationTest {

  private static final String[] RESOURCE_SERVER = {
    "spring.security.oauth2.resourceserver.jwt.issuer-uri=https://login.example",
    "spring.security.oauth2.resourceserver.jwt.audiences=shop"
  };

  private final WebApplicationContextRunner runner =
      new WebApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(OidcAutoConfiguration.class));

  @Test
  void theCallersOfAResourceServerAreUnknownUnlessTheirGroupsHaveRights() {
    runner
        .withPropertyValues(RESOURCE_SERVER)
        .run(context -> assertThat(context).doesNotHaveBean(OidcCallers.class));
    runner
        .withPropertyValues(RESOURCE_SERVER)
        .withPropertyValues("forebay.security.oidc.roles.ops=operator")
        .run(context ->
            assertThat(context).hasSingleBean(OidcCallers.class).doesNotHaveBean(OidcLogin.class));
  }

  @Test
  void groupsWithRightsNeedAProvider() {
    runner
        .withPropertyValues("forebay.security.oidc.statements.shop=orders.*")
        .run(context ->
            assertThat(context.getStartupFailure())
                .hasRootCauseInstanceOf(StartRefused.class)
                .rootCause()
                .hasMessageContaining("issuer-uri"));
  }
}
