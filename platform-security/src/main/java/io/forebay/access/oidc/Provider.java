/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jose.util.Resource;
import io.forebay.access.Refused;
import io.forebay.background.Outage;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.util.function.SingletonSupplier;

/**
 * What the OpenID provider publishes: its addresses and keys. Nothing is read before it is needed,
 * so a start does not wait for the provider. Thread-safe.
 *
 * <p>The keys are read again when a JWT names an unknown one, at most twice within {@value
 * #RATE_MILLIS} ms, and otherwise every 5 minutes. While the provider does not respond, the known
 * keys count for another hour.
 */
final class Provider {

  static final long RATE_MILLIS = 5_000;
  static final int TIMEOUT_MILLIS = 2_000;

  private static final Logger log = LoggerFactory.getLogger(Provider.class);

  private static final int LARGEST = 512 * 1024;
  private static final Duration PAUSE = Duration.ofSeconds(5);
  private static final Duration KEYS_FRESH = Duration.ofMinutes(5);
  private static final Duration KEYS_OF_OUTAGE = Duration.ofHours(1);

  private final ResourceServer server;
  private final OidcProperties.Login login;
  private final Clock clock;
  private final DefaultResourceRetriever http =
      new DefaultResourceRetriever(TIMEOUT_MILLIS, TIMEOUT_MILLIS, LARGEST) {
        @Override
        protected HttpURLConnection openHTTPConnection(URL url) throws IOException {
          HttpURLConnection connection = super.openHTTPConnection(url);
          connection.setInstanceFollowRedirects(false); // the address was checked, no other
          return connection;
        }
      };
  private final Outage outage =
      new Outage(
          log,
          "Asking the OpenID provider",
          "JWTs with unknown keys get 503, users can log in with a password of Forebay");
  private final SingletonSupplier<ClientRegistration> client = SingletonSupplier.of(this::register);
  private final SingletonSupplier<JWKSource<SecurityContext>> keys =
      SingletonSupplier.of(this::readKeys);
  private Instant next = Instant.MIN;
  private volatile boolean away;

  Provider(ResourceServer server, OidcProperties.Login login, Clock clock) {
    this.server = server;
    this.login = login;
    this.clock = clock;
  }

  ResourceServer server() {
    return server;
  }

  /**
   * Forebay as a client of the provider.
   *
   * @throws Refused if the addresses of the provider are not known, and it does not respond or did
   *     not within the last seconds
   */
  ClientRegistration client() {
    return client.obtain();
  }

  private ClientRegistration register() {
    if (clock.instant().isBefore(next)) {
      throw unavailable();
    }
    try {
      ClientRegistration registration = discover();
      responds();
      return registration;
    } catch (IOException | ParseException | IllegalArgumentException e) {
      next = clock.instant().plus(PAUSE);
      failed(e);
      throw unavailable();
    }
  }

  private void responds() {
    away = false;
    outage.over();
  }

  private void failed(Exception failure) {
    away = true;
    outage.failed(failure);
  }

  private ClientRegistration discover() throws IOException, ParseException {
    String issuer = server.issuer();
    String address = issuer.replaceFirst("/$", "") + "/.well-known/openid-configuration";
    Map<String, Object> document =
        JSONObjectUtils.parse(read(URI.create(address).toURL()).getContent());
    if (!issuer.equals(document.get("issuer"))) {
      throw new IOException(
          "The discovery document of %s is for another issuer, %s"
              .formatted(issuer, document.get("issuer")));
    }
    for (String name : List.of("authorization_endpoint", "token_endpoint", "jwks_uri")) {
      if (!ResourceServer.isSafe(String.valueOf(document.get(name)))) {
        throw new IOException(
            "The discovery document of %s has no address %s with https".formatted(issuer, name));
      }
    }
    String secret = login.clientSecret();
    ClientRegistration.Builder builder =
        ClientRegistrations.fromOidcConfiguration(document)
            .registrationId(OidcLogin.ID)
            .clientId(login.clientId())
            .redirectUri("{baseUrl}" + OidcLogin.CALLBACK)
            .scope(Stream.concat(Stream.of("openid"), login.scopes().stream()).toList());
    return (secret == null
            ? builder.clientAuthenticationMethod(ClientAuthenticationMethod.NONE)
            : builder.clientSecret(secret))
        .build();
  }

  private Resource read(URL address) throws IOException {
    try {
      return http.retrieveResource(address);
    } catch (IOException e) {
      throw new IOException("%s: %s".formatted(address, e.getMessage()), e);
    }
  }

  private Resource keys(URL address) throws IOException {
    try {
      Resource read = read(address);
      responds();
      return read;
    } catch (IOException e) {
      failed(e);
      throw e;
    }
  }

  private JWKSource<SecurityContext> readKeys() {
    String address = server.jwkSetUri();
    return JWKSourceBuilder.create(
            url(address == null ? client().getProviderDetails().getJwkSetUri() : address),
            this::keys)
        .cache(KEYS_FRESH.toMillis(), 2L * TIMEOUT_MILLIS)
        .refreshAheadCache(false)
        .rateLimited(RATE_MILLIS)
        .outageTolerant(KEYS_OF_OUTAGE.toMillis())
        .build();
  }

  private static URL url(@Nullable String address) {
    try {
      return URI.create(Objects.requireNonNull(address)).toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e); // its form was checked
    }
  }

  /** A decoder of JWTs with the keys, algorithms and types that are accepted. */
  NimbusJwtDecoder decoder() {
    JWKSource<SecurityContext> source = (selector, context) -> keys.obtain().get(selector, context);
    return NimbusJwtDecoder.withJwkSource(source)
        .jwsAlgorithms(accepted ->
            server.jwsAlgorithms().stream().map(SignatureAlgorithm::from).forEach(accepted::add))
        .jwtProcessorCustomizer(it ->
            it.setJWSTypeVerifier(
                new DefaultJOSEObjectTypeVerifier<>(
                    JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null)))
        .build();
  }

  /** The same decoder, which throws {@link Refused} for a JWT that cannot be checked now. */
  JwtDecoder patient(NimbusJwtDecoder decoder) {
    return text -> {
      try {
        return decoder.decode(text);
      } catch (JwtValidationException e) {
        throw e;
      } catch (BadJwtException e) {
        throw away ? unavailable() : e;
      } catch (JwtException _) { // no keys, or they were just read without this one
        throw unavailable();
      }
    };
  }

  private static Refused unavailable() {
    return new Refused(
        new Problem(
                ProblemType.UNAVAILABLE,
                "The JWT cannot be checked now: its key is not known, and the OpenID provider does"
                    + " not respond or was just asked; retry later, or use a token of Forebay")
            .retryAfter(PAUSE));
  }
}
