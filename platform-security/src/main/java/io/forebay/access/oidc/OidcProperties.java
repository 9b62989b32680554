/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import io.forebay.access.Grant;
import io.forebay.access.Role;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.Pattern;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param issuer The address of the OpenID provider, exactly as in claim `iss` of its JWTs; at most
 *     90 characters, `https` unless it is on this host; none: JWTs are refused.
 * @param audience What claim `aud` of a JWT must contain; required with an issuer.
 * @param jwksUri The address of the public keys of the provider (JWKS); none: its discovery
 *     document names it.
 * @param algorithms The signature algorithms that are accepted, of `RS256`, `RS384`, `RS512`,
 *     `PS256`, `PS384`, `PS512`, `ES256`, `ES384` and `ES512`.
 * @param clockSkew By how much the clocks of the provider and of this host may differ; 0s to 5m.
 * @param nameClaim The claim that names the caller; unique at the provider, and never given to
 *     somebody else.
 * @param groupsClaim The claim with the groups of the caller; a dot leads into a claim, as in
 *     `realm_access.roles`.
 * @param roles The role of each group: `viewer`, `operator` or `admin`; the strongest counts; none:
 *     no group has a role.
 * @param statements The statements that each group may send, like those of a token; none: no group
 *     may send any.
 * @param login The login to the admin page; none: users log in with a password of Forebay.
 */
@ConfigurationProperties("forebay.security.oidc")
@Validated
record OidcProperties(
    @Nullable String issuer,
    @Nullable String audience,
    @Nullable String jwksUri,
    @DefaultValue("RS256") @NotEmpty(message = "must name at least one")
        List<
                @Pattern(
                    regexp = "[RPE]S(256|384|512)",
                    message =
                        "must be one of ES256, ES384, ES512, PS256, PS384, PS512, RS256, RS384, RS512")
                String>
            algorithms,
    @DefaultValue("30s") @DurationMin @DurationMax(minutes = 5) Duration clockSkew,
    @DefaultValue("sub") String nameClaim,
    @DefaultValue("groups") String groupsClaim,
    @DefaultValue
        Map<
                String,
                @Pattern(
                    regexp = "viewer|operator|admin",
                    message = "must be viewer, operator or admin")
                String>
            roles,
    @DefaultValue Map<String, List<@Grant String>> statements,
    @Valid @Nullable Login login)
    implements Validator {

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

  static final int LONGEST_ISSUER = 90;

  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "[::1]", "localhost");

  /** The client of the login; without a login, one that only reads what the provider publishes. */
  Login loginOrNone() {
    return login == null ? new Login("none", null, List.of()) : login;
  }

  GroupRights rights() {
    Map<String, Role> byGroup = new LinkedHashMap<>();
    roles.forEach((group, role) -> byGroup.put(group, Role.of(role).orElseThrow()));
    return new GroupRights(groupsClaim, byGroup, statements);
  }

  /** Whether nobody between can change what is read from there. */
  static boolean isSafe(String address) {
    try {
      URI uri = URI.create(address);
      String host = uri.getHost();
      return host != null
          && uri.getFragment() == null
          && uri.getUserInfo() == null
          && ("https".equals(uri.getScheme())
              || "http".equals(uri.getScheme())
                  && LOOPBACK.contains(host.toLowerCase(Locale.ROOT)));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == OidcProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    if (issuer == null) {
      if (audience != null
          || jwksUri != null
          || login != null
          || !roles.isEmpty()
          || !statements.isEmpty()) {
        errors.rejectValue("issuer", "missing", "is required with the other properties");
      }
      return;
    }
    if (issuer.length() > LONGEST_ISSUER || !isSafe(issuer) || issuer.contains("?")) {
      errors.rejectValue(
          "issuer",
          "form",
          "must be an address with https (http on loopback), without a query, of at most %d"
                  .formatted(LONGEST_ISSUER)
              + " characters");
    }
    if (audience == null || audience.isBlank()) {
      errors.rejectValue("audience", "missing", "is required with an issuer");
    } else if (login != null && audience.equals(login.clientId())) {
      errors.rejectValue(
          "audience", "client", "must not be the client id, because ID tokens have that audience");
    }
    if (jwksUri != null && !isSafe(jwksUri)) {
      errors.rejectValue("jwksUri", "form", "must be an address with https (http on loopback)");
    }
  }
}
