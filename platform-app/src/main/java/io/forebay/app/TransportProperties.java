/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param behindTls Whether a proxy encrypts all connections of callers; the service may then listen
 *     on a network address without TLS.
 * @param allowPlainHttp Whether the service may listen on a network address although nothing
 *     encrypts its connections.
 */
@ConfigurationProperties("forebay.security")
record TransportProperties(
    @DefaultValue("false") boolean behindTls, @DefaultValue("false") boolean allowPlainHttp) {}
