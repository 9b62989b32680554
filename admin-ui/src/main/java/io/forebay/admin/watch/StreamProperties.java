/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param maxStreamsPerUser How many visible pages a user or token may have at an instance; at least
 *     1.
 */
@ConfigurationProperties("forebay.admin")
record StreamProperties(@DefaultValue("20") int maxStreamsPerUser) {

  /**
   * @throws IllegalArgumentException if no stream is allowed
   */
  StreamProperties {
    if (maxStreamsPerUser < 1) {
      throw new IllegalArgumentException(
          "forebay.admin.max-streams-per-user must be at least 1 (is %d)"
              .formatted(maxStreamsPerUser));
    }
  }
}
