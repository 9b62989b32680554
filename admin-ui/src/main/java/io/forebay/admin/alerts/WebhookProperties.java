/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.operations.Loopback;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * @param url Where a request is sent when an alert opens, gets worse or closes, with https unless
 *     it is this host; none: nowhere.
 * @param secret The key of the signature of these requests, at least 16 characters; required with
 *     url.
 */
@ConfigurationProperties("forebay.admin.webhook")
record WebhookProperties(@Nullable String url, @Nullable String secret) {

  private static final int LEAST = 16;

  /**
   * @throws IllegalArgumentException if the address is none that is allowed, or the secret is
   *     missing or too short
   */
  WebhookProperties {
    if (url != null) {
      check(url);
      if (secret == null || secret.length() < LEAST) {
        throw new IllegalArgumentException(
            "forebay.admin.webhook.secret must have at least %d characters (has %d); it signs the requests to forebay.admin.webhook.url"
                .formatted(LEAST, secret == null ? 0 : secret.length()));
      }
    }
  }

  private static void check(String url) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException _) {
      throw new IllegalArgumentException("forebay.admin.webhook.url is not an address");
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    String host = uri.getHost();
    if (host == null || !scheme.equals("https") && !scheme.equals("http")) {
      throw new IllegalArgumentException(
          "forebay.admin.webhook.url must be an address that begins with https:// and names a host");
    }
    if (uri.getUserInfo() != null) {
      throw new IllegalArgumentException(
          "forebay.admin.webhook.url must not have a user or a password: they would not be sent; the receiver can check the signature");
    }
    if (scheme.equals("http") && !Loopback.isHost(host)) {
      throw new IllegalArgumentException(
          "Plain HTTP refused: alerts would cross the network to %s in plain text; use https in forebay.admin.webhook.url"
              .formatted(host));
    }
  }

  /** Without the address, whose path may be a secret, and without the secret. */
  @Override
  public String toString() {
    return "WebhookProperties[url=%s]".formatted(url == null ? "none" : "set");
  }
}
