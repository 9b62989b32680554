/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import io.forebay.access.Admitted;
import io.forebay.access.Refused;
import io.forebay.access.Role;
import io.forebay.operations.Actor;
import io.forebay.operations.StartRefused;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.server.resource.InvalidBearerTokenException;

/** JWTs that no provider issues; OpenIdApiTest has those of a real one. */
class OidcCallersTest {

  private static final RSAKey KEY = rsa("first");
  private static final RSAKey NEXT = rsa("second");

  private final AtomicInteger reads = new AtomicInteger();
  private volatile Instant now = Instant.now();
  private volatile List<JWK> published = List.of(KEY.toPublicJWK());
  private volatile String discovered = "";
  private HttpServer provider;
  private String issuer;

  private static RSAKey rsa(String id) {
    try {
      return new RSAKeyGenerator(2048).keyID(id).generate();
    } catch (com.nimbusds.jose.JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  @BeforeEach
  void startTheProvider() throws IOException {
    provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    issuer = "http://127.0.0.1:%d/realms/shop".formatted(provider.getAddress().getPort());
    discovered = document(issuer, issuer + "/keys");
    answer("/realms/shop/.well-known/openid-configuration", () -> discovered);
    answer(
        "/realms/shop/keys",
        () -> {
          reads.incrementAndGet();
          return new JWKSet(published).toString();
        });
    provider.start();
  }

  private String document(String of, String keys) {
    return """
    {"issuer": "%s", "jwks_uri": "%s", "authorization_endpoint": "%s/authorize",
     "token_endpoint": "%s/token", "subject_types_supported": ["public"]}
    """
        .formatted(of, keys, issuer, issuer);
  }

  private void answer(String path, java.util.function.Supplier<String> text) {
    provider.createContext(
        path,
        exchange -> {
          byte[] body = text.get().getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }

  @AfterEach
  void stopTheProvider() {
    provider.stop(0);
  }

  private Checked callers(Map<String, Object> rights) {
    OidcProperties properties =
        new OidcProperties(
            Map.of("ops", "operator", "all", "viewer"),
            Map.of("shop", List.of("orders.*"), "ops", List.of("notes.add")),
            null);
    ResourceServer server =
        server(
            null,
            "issuer-uri",
            issuer,
            "audiences",
            "forebay",
            "authorities-claim-name",
            (String) rights.getOrDefault("claim", "groups"),
            "authority-prefix",
            (String) rights.getOrDefault("prefix", ""),
            "authorities-claim-delimiter",
            (String) rights.get("delimiter"));
    Clock clock = clock(() -> now);
    Provider source = new Provider(server, properties.loginOrNone(), clock);
    OidcCallers callers = new OidcCallers(properties, source, clock);
    JwtDecoder decoder = callers.decoder();
    return text -> {
      Jwt jwt = decoder.decode(text);
      return callers.caller(jwt.getClaims(), Objects.requireNonNull(jwt.getExpiresAt()));
    };
  }

  /** The way of a bearer token. */
  private interface Checked {
    Admitted check(String jwt);
  }

  private Checked callers() {
    return callers(Map.of());
  }

  private static Clock clock(InstantSource source) {
    return source.withZone(ZoneOffset.UTC);
  }

  private JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder()
        .issuer(issuer)
        .audience(List.of("other", "forebay"))
        .subject("alice")
        .issueTime(Date.from(now))
        .expirationTime(Date.from(now.plusSeconds(300)))
        .claim("groups", List.of("all", "ops", "shop", "others"));
  }

  private static String sign(JWSHeader header, JWSSigner signer, JWTClaimsSet claims)
      throws Exception {
    SignedJWT jwt = new SignedJWT(header, claims);
    jwt.sign(signer);
    return jwt.serialize();
  }

  private static String sign(RSAKey key, JWTClaimsSet claims) throws Exception {
    JWSHeader header =
        new JWSHeader.Builder(JWSAlgorithm.RS256)
            .type(new JOSEObjectType("at+jwt"))
            .keyID(key.getKeyID())
            .build();
    return sign(header, new RSASSASigner(key), claims);
  }

  private String jwt(UnaryOperator<JWTClaimsSet.Builder> change) throws Exception {
    return sign(KEY, change.apply(claims()).build());
  }

  private static void refuses(
      Checked callers, String what, String jwt, Class<? extends RuntimeException> why) {
    assertThatThrownBy(() -> callers.check(jwt)).as(what).isInstanceOf(why);
  }

  @Test
  void aCallerHasTheStrongestRoleAndAllStatementsOfItsGroupsAndANameWithItsIssuer()
      throws Exception {
    Admitted alice = callers().check(jwt(it -> it));
    assertThat(alice.kind()).isEqualTo(Actor.Kind.OIDC);
    assertThat(alice.caller().name())
        .isEqualTo("oidc:alice@" + issuer.substring("http://".length()));
    assertThat(alice.caller().role()).isEqualTo(Role.OPERATOR);
    assertThat(alice.caller().statements()).containsExactly("notes.add", "orders.*");

    Checked nested = callers(Map.of("claim", "realm_access.roles"));
    refuses(nested, "other claim", jwt(it -> it), Refused.class);
    assertThat(
            nested
                .check(jwt(it -> it.claim("realm_access", Map.of("roles", List.of("all")))))
                .caller()
                .role())
        .isEqualTo(Role.VIEWER);
    assertThat(nested.check(jwt(it -> it.claim("realm_access.roles", "all"))).caller().role())
        .as("a claim with this name")
        .isEqualTo(Role.VIEWER);
  }

  @Test
  void groupsAreNamedAsSpringNamesAuthorities() throws Exception {
    Checked callers = callers(Map.of("prefix", "o", "delimiter", "[ ,]+"));
    String jwt = jwt(it -> it.claim("groups", "things, ps"));
    assertThat(callers.check(jwt).caller().role()).isEqualTo(Role.OPERATOR);
    refuses(callers, "without the prefix", jwt(it -> it.claim("groups", "ops")), Refused.class);
  }

  @Test
  void aJwtWithoutAGroupThatHasRightsNamesTheClaimOnly() throws Exception {
    String jwt = jwt(it -> it.claim("groups", List.of("Ops", "others")));
    assertThatThrownBy(() -> callers().check(jwt))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused).hasMessageContaining("no group in your claim groups");
              assertThat(refused).message().doesNotContain("Ops", "others");
              Admitted caller = Objects.requireNonNull(refused.caller());
              assertThat(caller.caller().role()).isEqualTo(Role.NONE);
              assertThat(caller.caller().statements()).isEmpty();
            });
    for (Object groups : new Object[] {null, 7, Map.of("ops", true), List.of(7)}) {
      refuses(callers(), "groups " + groups, jwt(it -> it.claim("groups", groups)), Refused.class);
    }
  }

  @Test
  void aJwtThatTheProviderDidNotIssueForThisServiceIsRefused() throws Exception {
    ECKey curve = new ECKeyGenerator(Curve.P_256).keyID("curve").generate();
    published = List.of(KEY.toPublicJWK(), curve.toPublicJWK());
    Checked callers = callers();
    callers.check(jwt(it -> it));
    JWTClaimsSet good = claims().build();
    JWSHeader mac = new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("first").build();
    String valid = jwt(it -> it);
    String body = valid.substring(valid.indexOf('.'));
    Map<String, String> wrong = new LinkedHashMap<>();
    wrong.put("another audience", jwt(it -> it.audience("other")));
    wrong.put("no audience", jwt(it -> it.audience((String) null)));
    wrong.put("another issuer", jwt(it -> it.issuer(issuer + "/")));
    wrong.put("no issuer", jwt(it -> it.issuer(null)));
    wrong.put("no expiry", jwt(it -> it.expirationTime(null)));
    wrong.put("not valid yet", jwt(it -> it.notBeforeTime(Date.from(now.plusSeconds(31)))));
    wrong.put("expired before issued", jwt(it -> it.expirationTime(new Date(1_000))));
    wrong.put("no name", jwt(it -> it.subject(null)));
    wrong.put("an empty name", jwt(it -> it.subject("")));
    wrong.put("a name with a blank", jwt(it -> it.subject("alice ")));
    wrong.put("a name with a line break", jwt(it -> it.subject("alice\nroot")));
    wrong.put("a name that looks like another", jwt(it -> it.subject("\u0430lice")));
    wrong.put("a long name", jwt(it -> it.subject("a".repeat(101))));
    wrong.put("bound to a key", jwt(it -> it.claim("cnf", Map.of("jkt", "x"))));
    wrong.put("no signature", new PlainJWT(good).serialize());
    wrong.put("its signature cut off", valid.substring(0, valid.lastIndexOf('.') + 1));
    wrong.put(
        "the public key as a secret",
        sign(mac, new MACSigner(KEY.toRSAPublicKey().getEncoded()), good));
    wrong.put(
        "an algorithm that is not accepted",
        sign(
            new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("curve").build(),
            new ECDSASigner(curve),
            good));
    wrong.put(
        "a key of its own",
        sign(
            new JWSHeader.Builder(JWSAlgorithm.RS256).jwk(NEXT.toPublicJWK()).build(),
            new RSASSASigner(NEXT),
            good));
    wrong.put(
        "another key with the known id",
        sign(
            new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("first").build(),
            new RSASSASigner(NEXT),
            good));
    wrong.put(
        "another type",
        sign(
            new JWSHeader.Builder(JWSAlgorithm.RS256)
                .type(new JOSEObjectType("logout+jwt"))
                .keyID("first")
                .build(),
            new RSASSASigner(KEY),
            good));
    wrong.put("another header", "eyJhbGciOiJub25lIn0" + body);
    wrong.put("no JWT", "a.b.c");
    wrong.put("dots", "..");
    wrong.forEach((what, jwt) ->
        assertThatThrownBy(() -> callers.check(jwt))
            .as(what)
            .isInstanceOfAny(BadJwtException.class, InvalidBearerTokenException.class));
  }

  @Test
  void theClocksMayDifferByTheSkewAndAStreamEndsWithItsJwt() throws Exception {
    Checked callers = callers();
    String jwt = jwt(it -> it.notBeforeTime(Date.from(now.plusSeconds(29))));
    Instant begun = now;
    Admitted stream = callers.check(jwt);
    now = begun.plusSeconds(325);
    callers.check(jwt);
    assertThat(stream.isStillValid().getAsBoolean()).isTrue();
    now = begun.plusSeconds(331);
    assertThat(stream.isStillValid().getAsBoolean()).isFalse();
    refuses(callers, "expired", jwt, BadJwtException.class);
  }

  @Test
  void aNewKeyIsReadAtOnceAndUnknownOnesDoNotFloodTheProvider() throws Exception {
    Checked callers = callers();
    callers.check(jwt(it -> it));
    assertThat(reads).hasValue(1);
    published = List.of(NEXT.toPublicJWK());
    callers.check(sign(NEXT, claims().build()));
    assertThat(reads).hasValue(2);
    refuses(callers, "a key that was withdrawn", jwt(it -> it), RuntimeException.class);
    for (int i = 0; i < 20; i++) {
      JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("unknown-" + i).build();
      String unknown = sign(header, new RSASSASigner(KEY), claims().build());
      refuses(callers, "an unknown key", unknown, RuntimeException.class);
    }
    assertThat(reads.get()).as("within 5 s, or 10 on a slow machine").isLessThanOrEqualTo(5);
    callers.check(sign(NEXT, claims().build()));
  }

  @Test
  void whileTheProviderIsAwayKnownKeysCountAndOthersCannotBeChecked() throws Exception {
    Checked callers = callers();
    Checked late = callers();
    callers.check(jwt(it -> it));
    provider.stop(0);
    callers.check(jwt(it -> it));
    refuses(callers, "another key", sign(NEXT, claims().build()), Refused.class);
    refuses(
        callers, "of a known key", jwt(it -> it.audience("other")), JwtValidationException.class);
    refuses(late, "a process that never reached it", jwt(it -> it), Refused.class);
  }

  @Test
  void aDiscoveryDocumentOfAnotherIssuerOrWithKeysOverPlainHttpIsNotUsed() throws Exception {
    for (String document :
        List.of(
            document(issuer + "/", issuer + "/keys"),
            document(issuer, "http://keys.example/keys"),
            "{\"issuer\":\"%s\"}".formatted(issuer),
            "[]")) {
      discovered = document;
      refuses(callers(), document, jwt(it -> it), Refused.class);
    }
    assertThat(reads).hasValue(0);
  }

  /**
   * @param properties names and values; null: not set
   */
  private static ResourceServer server(@Nullable String clientId, @Nullable String... properties) {
    MockEnvironment environment = new MockEnvironment();
    for (int i = 0; i < properties.length; i += 2) {
      if (properties[i + 1] != null) {
        environment.setProperty(
            "spring.security.oauth2.resourceserver.jwt." + properties[i], properties[i + 1]);
      }
    }
    return ResourceServer.of(environment, clientId);
  }

  @Test
  void aRedirectOfTheProviderIsNotFollowed() throws Exception {
    provider.removeContext("/realms/shop/keys");
    answer("/keys", () -> new JWKSet(published).toString());
    provider.createContext(
        "/realms/shop/keys",
        exchange -> {
          exchange.getResponseHeaders().set("Location", "/keys");
          exchange.sendResponseHeaders(302, -1);
          exchange.close();
        });
    refuses(callers(), "a redirect", jwt(it -> it), Refused.class);
  }

  @Test
  void whatIsWrongIsReportedAtOnce() {
    assertThatThrownBy(() ->
            server(
                "page",
                "issuer-uri",
                "http://login.example/realms/shop",
                "jwk-set-uri",
                "file:///etc/keys",
                "public-key-location",
                "file:///etc/key",
                "audiences",
                "page",
                "jws-algorithms",
                "RS256,HS256"))
        .isInstanceOf(StartRefused.class)
        .hasMessageContainingAll(
            "issuer-uri must be an address with https",
            "jwk-set-uri must be",
            "public-key-location must not be set",
            "audiences must not contain the client id",
            "jws-algorithms must be of");
    assertThatThrownBy(() -> server(null))
        .isInstanceOf(StartRefused.class)
        .hasMessageContainingAll("issuer-uri must be", "audiences must name");
  }

  @Test
  void theSecretOfTheLoginIsNotPrinted() {
    OidcProperties properties =
        new OidcProperties(
            Map.of(), Map.of(), new OidcProperties.Login("page", "hunter2", List.of()));
    assertThat(properties.toString()).contains("page").doesNotContain("hunter2");
  }

  @Test
  void onlyWhatLooksLikeAJwtIsOne() throws Exception {
    assertThat(OidcCallers.isJwt(jwt(it -> it))).isTrue();
    assertThat(OidcCallers.isJwt("fb_" + "a".repeat(43))).isFalse();
    assertThat(OidcCallers.isJwt("a.b")).isFalse();
    assertThat(OidcCallers.isJwt("a.b.c.d.e")).as("encrypted").isFalse();
  }
}
