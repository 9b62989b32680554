/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.net.URI;
import java.text.ParseException;
import java.util.Map;

/** Reads what the provider publishes (OpenID Connect Discovery 1.0, section 4). Thread-safe. */
final class Discovery {

  static final int TIMEOUT_MILLIS = 2_000;

  private static final int LARGEST = 512 * 1024;

  private final DefaultResourceRetriever http =
      new DefaultResourceRetriever(TIMEOUT_MILLIS, TIMEOUT_MILLIS, LARGEST);
  private final String issuer;

  Discovery(String issuer) {
    this.issuer = issuer;
  }

  /**
   * The discovery document.
   *
   * @throws IOException if the provider does not respond, or the document is for another issuer
   */
  Map<String, Object> document() throws IOException, ParseException {
    String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    Map<String, Object> document =
        JSONObjectUtils.parse(read(base + "/.well-known/openid-configuration"));
    String found = JSONObjectUtils.getString(document, "issuer");
    if (!issuer.equals(found)) {
      throw new IOException(
          "The discovery document of %s is for another issuer, %s".formatted(issuer, found));
    }
    return document;
  }

  /**
   * An address in the document.
   *
   * @throws IOException if there is none with https
   */
  String address(Map<String, Object> document, String name) throws IOException, ParseException {
    String address = JSONObjectUtils.getString(document, name);
    if (address == null || !OidcProperties.isSafe(address)) {
      throw new IOException(
          "The discovery document of %s has no address %s with https".formatted(issuer, name));
    }
    return address;
  }

  String read(String address) throws IOException {
    try {
      return http.retrieveResource(URI.create(address).toURL()).getContent();
    } catch (IOException e) {
      throw new IOException("%s: %s".formatted(address, e.getMessage()), e);
    }
  }
}
