/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import io.forebay.access.Grant;
import io.forebay.access.Role;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * @param roles The role of each group: `viewer`, `operator` or `admin`; the strongest counts; none:
 *     no group has a role.
 * @param statements The statements that each group may send, like those of a token; none: no group
 *     may send any.
 * @param login The login to the admin page; none: users log in with a password of Forebay.
 */
@ConfigurationProperties(OidcProperties.PREFIX)
@Validated
record OidcProperties(
    @DefaultValue
        Map<
                String,
                @Pattern(
                    regexp = "viewer|operator|admin",
                    message = "must be viewer, operator or admin")
                String>
            roles,
    @DefaultValue Map<String, List<@Grant String>> statements,
    @Valid @Nullable Login login) {

  static final String PREFIX = "forebay.security.oidc";

  /**
   * @param clientId The client id of Forebay at the provider; required for logins to the admin page
   *     with it.
   * @param clientSecret The secret of this client; none: it is a public client.
   * @param scopes What is requested from the provider besides `openid`; none: nothing.
   */
  record Login(
      @NotBlank(message = "is required for logins") String clientId,
      @Nullable String clientSecret,
      @DefaultValue List<String> scopes) {

    /** Without the secret. */
    @Override
    public String toString() {
      return "Login[clientId=%s, scopes=%s]".formatted(clientId, scopes);
    }
  }

  /** The client of the login; without a login, one that only reads what the provider publishes. */
  Login loginOrNone() {
    return login == null ? new Login("none", null, List.of()) : login;
  }

  GroupRights rights(ResourceServer server) {
    Map<String, Role> byGroup = new LinkedHashMap<>();
    roles.forEach((group, role) -> byGroup.put(group, Role.of(role).orElseThrow()));
    return new GroupRights(server, byGroup, statements);
  }
}
