/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import io.forebay.background.Outage;
import java.io.IOException;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;

/**
 * The client of Forebay at the provider, with the addresses that the provider publishes. They are
 * read again after 5 minutes; after a failure the provider is not asked for 5 s. Thread-safe.
 */
final class ProviderClient {

  private static final Logger log = LoggerFactory.getLogger(ProviderClient.class);

  private static final Duration FRESH = Duration.ofMinutes(5);
  private static final Duration PAUSE = Duration.ofSeconds(5);

  private final OidcProperties.Login login;
  private final Discovery discovery;
  private final String id;
  private final String redirect;
  private final Clock clock;
  private final Outage outage =
      new Outage(
          log, "A login with the OpenID provider", "users can log in with a password of Forebay");
  private @Nullable ClientRegistration known;
  private Instant next = Instant.MIN;

  /**
   * @param id how the registration is called in this process
   * @param redirect where the provider sends browsers back to
   */
  ProviderClient(OidcProperties properties, String id, String redirect, Clock clock) {
    this.login = Objects.requireNonNull(properties.login());
    this.discovery = new Discovery(Objects.requireNonNull(properties.issuer()));
    this.id = id;
    this.redirect = redirect;
    this.clock = clock;
  }

  /** The client; null if the provider does not respond. */
  synchronized @Nullable ClientRegistration get() {
    Instant now = clock.instant();
    boolean wasSetBack = Duration.between(now, next).compareTo(FRESH) > 0;
    if (now.isBefore(next) && !wasSetBack) {
      return known;
    }
    try {
      known = register();
      next = now.plus(FRESH);
      outage.over();
    } catch (IOException | ParseException | IllegalArgumentException e) {
      known = null;
      next = now.plus(PAUSE);
      outage.failed(e);
    }
    return known;
  }

  private ClientRegistration register() throws IOException, ParseException {
    Map<String, Object> document = discovery.document();
    for (String name : new String[] {"authorization_endpoint", "token_endpoint", "jwks_uri"}) {
      discovery.address(document, name);
    }
    ClientRegistration.Builder client =
        ClientRegistrations.fromOidcConfiguration(document)
            .registrationId(id)
            .clientId(login.clientId())
            .redirectUri(redirect)
            .scope(login.scopes());
    if (login.clientSecret() == null) {
      client.clientAuthenticationMethod(ClientAuthenticationMethod.NONE);
    } else {
      client.clientSecret(login.clientSecret());
    }
    return client.build();
  }
}
