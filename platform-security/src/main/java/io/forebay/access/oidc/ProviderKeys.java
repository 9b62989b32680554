/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetParseException;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.proc.SecurityContext;
import io.forebay.background.Outage;
import java.io.IOException;
import java.text.ParseException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the public keys of the provider, from the address that its discovery document names unless
 * it is configured. Nothing is read before the first JWT arrives. Thread-safe.
 */
final class ProviderKeys implements JWKSetSource<SecurityContext> {

  private static final Logger log = LoggerFactory.getLogger(ProviderKeys.class);

  private final Outage outage =
      new Outage(
          log,
          "Reading the keys of the OpenID provider",
          "JWTs that need others than the known keys get 503 until it responds");
  private final Discovery provider;
  private final @Nullable String jwksUri;
  private volatile boolean away;

  /**
   * @param jwksUri null if the discovery document names it
   */
  ProviderKeys(Discovery provider, @Nullable String jwksUri) {
    this.provider = provider;
    this.jwksUri = jwksUri;
  }

  /** Whether the last attempt to read the keys failed. */
  boolean isAway() {
    return away;
  }

  @Override
  public JWKSet getJWKSet(
      JWKSetCacheRefreshEvaluator refresh, long currentTime, @Nullable SecurityContext context)
      throws JWKSetUnavailableException {
    try {
      String address =
          jwksUri == null ? provider.address(provider.document(), "jwks_uri") : jwksUri;
      JWKSet keys = JWKSet.parse(provider.read(address));
      outage.over();
      away = false;
      return keys;
    } catch (IOException e) {
      away = true;
      outage.failed(e);
      throw new JWKSetUnavailableException("the provider does not respond", e);
    } catch (ParseException e) {
      away = true;
      outage.failed(e);
      throw new JWKSetParseException("the keys of the provider cannot be read", e);
    }
  }

  @Override
  public void close() {}
}
