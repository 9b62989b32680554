/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client.spring;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param url The address of the service whose door the bean DoorClient uses, such as
 *     https://forebay.example.org; none: that of a container (start.md), or else there is no such
 *     bean.
 * @param token The bearer token of the requests; none: requests have no token.
 * @param allowPlainHttp Whether the token may go to another host without TLS, in plain text.
 */
@ConfigurationProperties("forebay.client")
record ClientProperties(
    @Nullable URI url, @Nullable String token, @DefaultValue("false") boolean allowPlainHttp) {

  @Override
  public String toString() {
    return "ClientProperties[url=%s]".formatted(url);
  }
}
