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
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jose.util.JSONObjectUtils;
import io.forebay.background.Outage;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.text.ParseException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the public keys of the provider, from the address that its discovery document names (OpenID
 * Connect Discovery 1.0, section 4) unless it is configured. Nothing is read before the first JWT
 * arrives. Thread-safe.
 */
final class ProviderKeys implements JWKSetSource<SecurityContext> {

  private static final Logger log = LoggerFactory.getLogger(ProviderKeys.class);

  static final int TIMEOUT_MILLIS = 2_000;

  private static final int LARGEST = 512 * 1024;

  private final DefaultResourceRetriever http =
      new DefaultResourceRetriever(TIMEOUT_MILLIS, TIMEOUT_MILLIS, LARGEST);
  private final Outage outage =
      new Outage(
          log,
          "Reading the keys of the OpenID provider",
          "JWTs that need others than the known keys get 503 until it responds");
  private final String issuer;
  private final @Nullable String jwksUri;
  private volatile boolean away;

  /**
   * @param jwksUri null if the discovery document names it
   */
  ProviderKeys(String issuer, @Nullable String jwksUri) {
    this.issuer = issuer;
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
    String address = jwksUri;
    try {
      if (address == null) {
        address = discover();
      }
      JWKSet keys = JWKSet.parse(read(address));
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

  private String discover() throws IOException, ParseException {
    String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    Map<String, Object> document =
        JSONObjectUtils.parse(read(base + "/.well-known/openid-configuration"));
    String found = JSONObjectUtils.getString(document, "issuer");
    if (!issuer.equals(found)) {
      throw new IOException(
          "The discovery document of %s is for another issuer, %s".formatted(issuer, found));
    }
    String keys = JSONObjectUtils.getString(document, "jwks_uri");
    if (keys == null || !OidcProperties.isSafe(keys)) {
      throw new IOException(
          "The discovery document of %s names no address of keys with https".formatted(issuer));
    }
    return keys;
  }

  private String read(String address) throws IOException {
    URL url = URI.create(address).toURL();
    try {
      return http.retrieveResource(url).getContent();
    } catch (IOException e) {
      throw new IOException("%s: %s".formatted(address, e.getMessage()), e);
    }
  }

  @Override
  public void close() {}
}
