/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import io.forebay.access.Admitted;
import io.forebay.access.Role;
import io.forebay.access.TokenOwner;
import io.forebay.operations.Actor;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtAudienceValidator;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/**
 * Callers with a JWT of the OpenID provider as bearer token (RFC 9068, RFC 8725). The name of such
 * a caller is {@code oidc:}, its claim, {@code @} and the issuer without its scheme: a token or a
 * user has no colon in its name, and a program on Kafka another prefix. Thread-safe.
 *
 * <p>The keys of the provider are in memory. They are read again when a JWT names an unknown one,
 * at most twice within {@value #RATE_MILLIS} ms, and otherwise every 5 minutes. While the provider
 * does not respond, the known keys count for another hour.
 */
public final class JwtCallers {

  static final long RATE_MILLIS = 5_000;

  private static final Duration KEYS_FRESH = Duration.ofMinutes(5);
  private static final Duration KEYS_OF_OUTAGE = Duration.ofHours(1);

  /** A request for keys has two parts, each with a time-out for connecting and one for reading. */
  private static final long WAIT_MILLIS = 4 * Discovery.TIMEOUT_MILLIS;

  private static final String PREFIX = "oidc:";

  /** Visible ASCII, so that names look and compare alike everywhere. */
  private static final Pattern NAME = Pattern.compile("[\\x21-\\x7e]{1,100}");

  private final ProviderKeys provider;
  private final Set<JWSAlgorithm> algorithms;
  private final JWKSource<SecurityContext> keys;
  private final NimbusJwtDecoder decoder;
  private final List<Claim> claims;
  private final String nameClaim;
  private final String nameEnding;
  private final GroupRights rights;
  private final Duration skew;
  private final Clock clock;

  private record Claim(OAuth2TokenValidator<Jwt> rule, String otherwise) {

    boolean isMet(Jwt jwt) {
      OAuth2TokenValidatorResult result = rule.validate(jwt);
      return !result.hasErrors();
    }
  }

  JwtCallers(OidcProperties properties, Clock clock) {
    String issuer = Objects.requireNonNull(properties.issuer());
    this.provider = new ProviderKeys(new Discovery(issuer), properties.jwksUri());
    this.algorithms =
        properties.algorithms().stream()
            .map(JWSAlgorithm::parse)
            .collect(Collectors.toUnmodifiableSet());
    this.keys = source(provider);
    this.decoder = newDecoder();
    decoder.setJwtValidator(_ -> OAuth2TokenValidatorResult.success()); // see claims
    this.nameClaim = properties.nameClaim();
    this.nameEnding = "@" + issuer.substring(issuer.indexOf("//") + 2);
    this.rights = properties.rights();
    this.skew = properties.clockSkew();
    this.clock = clock;
    JwtTimestampValidator time = new JwtTimestampValidator(skew);
    time.setAllowEmptyExpiryClaim(false);
    time.setClock(clock);
    this.claims =
        List.of(
            new Claim(new JwtIssuerValidator(issuer), "another issuer made it (claim iss)"),
            new Claim(
                new JwtAudienceValidator(Objects.requireNonNull(properties.audience())),
                "it is for another service (claim aud)"),
            new Claim(
                time, "it has expired, is not valid yet, or has no expiry (claims exp, nbf)"));
  }

  private static JWKSource<SecurityContext> source(JWKSetSource<SecurityContext> keys) {
    return JWKSourceBuilder.create(keys)
        .cache(KEYS_FRESH.toMillis(), WAIT_MILLIS)
        .refreshAheadCache(false)
        .rateLimited(RATE_MILLIS)
        .outageTolerant(KEYS_OF_OUTAGE.toMillis())
        .build();
  }

  /** A decoder with the keys, algorithms and types that are accepted; it checks no claim. */
  NimbusJwtDecoder newDecoder() {
    DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    processor.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(
            JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(algorithms, keys));
    processor.setJWTClaimsSetVerifier((_, _) -> {});
    return new NimbusJwtDecoder(processor);
  }

  /** Whether the text has the form of a JWT; a token of Forebay has no dots. */
  public static boolean isJwt(String text) {
    return text.chars().filter(it -> it == '.').count() == 2;
  }

  /**
   * Checks a JWT. Waits for the provider if the key is unknown, at most a few seconds.
   *
   * @return if it is accepted, a caller that stays valid until the JWT expires
   */
  public JwtCheck check(String text) {
    Jwt jwt;
    try {
      jwt = decoder.decode(text);
    } catch (BadJwtException e) {
      return provider.isAway() && isOfUnknownKey(text)
          ? new JwtCheck.Unchecked()
          : new JwtCheck.Wrong(
              "its signature is none of the provider's (unknown key, algorithm or form)");
    } catch (JwtException e) { // no keys, or they were just read without this one
      return new JwtCheck.Unchecked();
    }
    for (Claim claim : claims) {
      if (!claim.isMet(jwt)) {
        return new JwtCheck.Wrong(claim.otherwise());
      }
    }
    return rights(jwt.getClaims(), Objects.requireNonNull(jwt.getExpiresAt()));
  }

  /** The caller with these claims, which were checked. */
  JwtCheck rights(Map<String, Object> claims, Instant expiresAt) {
    String name = name(claims);
    if (name == null) {
      return new JwtCheck.Wrong(
          "its claim %s must have 1 to 100 visible ASCII characters".formatted(nameClaim));
    }
    TokenOwner caller = rights.caller(name, claims);
    return caller.role() == Role.NONE && caller.statements().isEmpty()
        ? new JwtCheck.WithoutRights(caller, rights.claim())
        : new JwtCheck.Accepted(admitted(caller, expiresAt));
  }

  /** Whether a provider that does not respond may know its key. */
  private boolean isOfUnknownKey(String text) {
    try {
      JWSHeader header = SignedJWT.parse(text).getHeader();
      return algorithms.contains(header.getAlgorithm())
          && keys.get(new JWKSelector(JWKMatcher.forJWSHeader(header)), null).isEmpty();
    } catch (ParseException e) {
      return false;
    } catch (KeySourceException e) {
      return true;
    }
  }

  private Admitted admitted(TokenOwner caller, Instant expiresAt) {
    Instant until = expiresAt.plus(skew);
    return new Admitted(Actor.Kind.OIDC, caller, () -> clock.instant().isBefore(until));
  }

  private @Nullable String name(Map<String, Object> claims) {
    return claims.get(nameClaim) instanceof String name && NAME.matcher(name).matches()
        ? PREFIX + name + nameEnding
        : null;
  }
}
