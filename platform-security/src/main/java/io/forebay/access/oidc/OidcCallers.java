/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import io.forebay.access.Admitted;
import io.forebay.access.Refused;
import io.forebay.access.Role;
import io.forebay.access.TokenOwner;
import io.forebay.operations.Actor;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import java.io.Serializable;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimNames;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.server.resource.InvalidBearerTokenException;

/**
 * Callers whom the OpenID provider identifies (RFC 9068, RFC 8725). The name of such a caller is
 * {@code oidc:}, its claim, {@code @} and the issuer without its scheme: a token or a user has no
 * colon in its name, and a program on Kafka another prefix. Thread-safe.
 */
public final class OidcCallers {

  /** By how much the clocks of the provider and of this host may differ. */
  static final Duration CLOCK_SKEW = Duration.ofSeconds(30);

  /** Visible ASCII, so that names look and compare alike everywhere. */
  private static final Pattern NAME = Pattern.compile("[\\x21-\\x7e]{1,100}");

  private final ResourceServer server;
  private final GroupRights rights;
  private final Provider provider;
  private final Clock clock;

  OidcCallers(OidcProperties properties, Provider provider, Clock clock) {
    this.server = provider.server();
    this.rights = properties.rights(server);
    this.provider = provider;
    this.clock = clock;
  }

  /** Whether the text has the form of a JWT; a token of Forebay has no dots. */
  public static boolean isJwt(String text) {
    return text.chars().filter(it -> it == '.').count() == 2;
  }

  /**
   * Checks bearer tokens. It waits for the provider if a key is unknown, at most a few seconds, and
   * throws {@link Refused} if it does not respond.
   */
  public JwtDecoder decoder() {
    NimbusJwtDecoder decoder = provider.decoder();
    decoder.setJwtValidator(
        new DelegatingOAuth2TokenValidator<>(
            time(clock),
            new JwtIssuerValidator(server.issuer()),
            new JwtClaimValidator<List<String>>(
                JwtClaimNames.AUD,
                it -> it != null && !Collections.disjoint(it, server.audiences())),
            OidcCallers::mustBeUnbound));
    return provider.patient(decoder);
  }

  /** One that is bound to a key of its caller would be accepted without the proof of that key. */
  private static OAuth2TokenValidatorResult mustBeUnbound(Jwt jwt) {
    return jwt.hasClaim("cnf")
        ? OAuth2TokenValidatorResult.failure(
            new OAuth2Error("invalid_token", "it is bound to a key (claim cnf)", null))
        : OAuth2TokenValidatorResult.success();
  }

  static JwtTimestampValidator time(Clock clock) {
    JwtTimestampValidator time = new JwtTimestampValidator(CLOCK_SKEW);
    time.setAllowEmptyExpiryClaim(false);
    time.setClock(clock);
    return time;
  }

  /**
   * The caller with these claims, which were checked.
   *
   * @param until when the caller is not admitted any more
   * @throws Refused if none of its groups has rights
   * @throws InvalidBearerTokenException if it has no name
   */
  public Admitted caller(Map<String, Object> claims, Instant until) {
    if (!(claims.get(server.principalClaimName()) instanceof String name)
        || !NAME.matcher(name).matches()) {
      throw new InvalidBearerTokenException(
          "the Jwt: its claim %s must have 1 to 100 visible ASCII characters"
              .formatted(server.principalClaimName()));
    }
    String issuer = server.issuer();
    TokenOwner owner =
        rights.caller("oidc:" + name + "@" + issuer.substring(issuer.indexOf("//") + 2), claims);
    Instant end = until.plus(CLOCK_SKEW);
    Admitted caller = new Admitted(Actor.Kind.OIDC, owner, new Until(clock, end));
    if (owner.role() == Role.NONE && owner.statements().isEmpty()) {
      throw new Refused(
          new Problem(
              ProblemType.NOT_PERMITTED,
              ("You are identified, but no group in your claim %s has a role or statements here; an"
                      + " administrator can give it some (forebay.security.oidc.roles,"
                      + " .statements)")
                  .formatted(server.authoritiesClaimName())),
          caller);
    }
    return caller;
  }

  private record Until(Clock clock, Instant end) implements BooleanSupplier, Serializable {

    @Override
    public boolean getAsBoolean() {
      return clock.instant().isBefore(end);
    }
  }
}
