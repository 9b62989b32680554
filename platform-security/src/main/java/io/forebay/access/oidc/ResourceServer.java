/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import io.forebay.operations.StartRefused;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * The OpenID provider and its JWTs, from Spring Boot's properties of a resource server.
 *
 * @param issuerUri the address of the provider, exactly as in claim {@code iss}
 * @param jwkSetUri the address of its public keys; null: its discovery document names it
 * @param audiences claim {@code aud} must contain one of them
 * @param principalClaimName the claim that names the caller
 * @param publicKeyLocation is refused, because the provider has the keys
 * @param authoritiesClaimName the claim with the groups of the caller, a list or one text; for a
 *     claim within another one, both names with a dot between them
 * @param authoritiesClaimDelimiter what is between the groups in one text; null: it is one group
 * @param authorityPrefix what the configuration has before the name of each group
 */
record ResourceServer(
    @Nullable String issuerUri,
    @Nullable String jwkSetUri,
    @Nullable String publicKeyLocation,
    @DefaultValue List<String> audiences,
    @DefaultValue("RS256") List<String> jwsAlgorithms,
    @DefaultValue("sub") String principalClaimName,
    @DefaultValue("groups") String authoritiesClaimName,
    @Nullable Pattern authoritiesClaimDelimiter,
    @DefaultValue("") String authorityPrefix) {

  private static final String PREFIX = "spring.security.oauth2.resourceserver.jwt";
  private static final int LONGEST_ISSUER = 90;
  private static final Pattern ALGORITHM = Pattern.compile("[RPE]S(256|384|512)");
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "[::1]", "localhost");

  /**
   * @param clientId the client of the login
   * @throws StartRefused if they cannot be used; it lists what is wrong
   */
  static ResourceServer of(Environment environment, @Nullable String clientId) {
    ResourceServer server = Binder.get(environment).bindOrCreate(PREFIX, ResourceServer.class);
    List<String> errors = server.errors(clientId);
    if (!errors.isEmpty()) {
      throw new StartRefused(
          "forebay.security.oidc needs other values of %s: %s"
              .formatted(PREFIX, String.join("; ", errors)));
    }
    return server;
  }

  private List<String> errors(@Nullable String clientId) {
    List<String> errors = new ArrayList<>();
    if (issuerUri == null
        || issuerUri.length() > LONGEST_ISSUER
        || !isSafe(issuerUri)
        || issuerUri.contains("?")) {
      errors.add(
          "issuer-uri must be an address with https (http on loopback), without a query, of at most %d characters"
              .formatted(LONGEST_ISSUER));
    }
    if (jwkSetUri != null && !isSafe(jwkSetUri)) {
      errors.add("jwk-set-uri must be an address with https (http on loopback)");
    }
    if (publicKeyLocation != null) {
      errors.add("public-key-location must not be set: the keys are those of the provider");
    }
    if (audiences.isEmpty() || audiences.stream().anyMatch(String::isBlank)) {
      errors.add("audiences must name what claim aud contains");
    }
    if (clientId != null && audiences.contains(clientId)) {
      errors.add(
          "audiences must not contain the client id of the login, because ID tokens have that audience");
    }
    if (jwsAlgorithms.isEmpty()
        || jwsAlgorithms.stream().anyMatch(it -> !ALGORITHM.matcher(it).matches())) {
      errors.add(
          "jws-algorithms must be of ES256, ES384, ES512, PS256, PS384, PS512, RS256, RS384 and RS512");
    }
    return errors;
  }

  String issuer() {
    return String.valueOf(issuerUri);
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
}
