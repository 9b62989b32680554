/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param plainHttp Whether the service may listen on a network address without TLS: refused;
 *     behind-tls, because a proxy encrypts all connections of callers; or allowed, in plain text.
 */
@ConfigurationProperties("forebay.security")
record TransportProperties(@DefaultValue("refused") PlainHttp plainHttp) {

  enum PlainHttp {
    REFUSED,
    BEHIND_TLS,
    ALLOWED
  }
}
