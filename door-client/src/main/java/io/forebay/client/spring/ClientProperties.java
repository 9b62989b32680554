/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client.spring;

import java.net.URI;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * @param url The address of the service whose door the bean DoorClient uses, such as
 *     https://forebay.example.org; none: that of a container (start.md), or else there is no such
 *     bean.
 * @param token The bearer token of the requests; none: requests have no token.
 * @param requestTimeout How long a request may take besides the wait that it asks for; longer than
 *     forebay.door.accept-timeout of the service.
 * @param retryFor How long a statement is sent again before its last failure is thrown.
 * @param sslBundle The SSL bundle with the certificates that the client trusts, and its own if it
 *     has one; none: those of the JVM.
 * @param allowPlainHttp Whether the token may go to another host without TLS, in plain text.
 */
@ConfigurationProperties("forebay.client")
@Validated
record ClientProperties(
    @Nullable URI url,
    @Nullable String token,
    @DefaultValue("30s") @DurationMin(millis = 1) Duration requestTimeout,
    @DefaultValue("1m") @DurationMin Duration retryFor,
    @Nullable String sslBundle,
    @DefaultValue("false") boolean allowPlainHttp) {

  @Override
  public String toString() {
    return "ClientProperties[url=%s]".formatted(url);
  }
}
