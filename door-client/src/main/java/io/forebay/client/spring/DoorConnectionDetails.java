/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client.spring;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Where the door is. A bean of this type precedes {@code forebay.client.url} and {@code
 * forebay.client.token}.
 */
public interface DoorConnectionDetails extends ConnectionDetails {

  /** The address of the service. */
  URI getUrl();

  /** The bearer token of the requests; null: requests have no token. */
  @Nullable String getToken();

  /** Whether the token may cross the network in plain text, as to a container of a test. */
  default boolean allowsPlainHttp() {
    return false;
  }
}
