/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How chunks are sent over HTTP.
 *
 * @param timeout how long a chunk is tried and waited for, where its collector does not give up
 *     before; default 30 s
 * @param connectTimeout how long a connection may take to come about; default 5 s
 * @param maxReplyBytes how large a reply may be; default 16 MiB
 * @param token asked for each request, for its bearer token; default null, without one
 */
public record HttpOptions(
    Duration timeout,
    Duration connectTimeout,
    int maxReplyBytes,
    @Nullable Supplier<String> token) {

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException naming everything that is not allowed
   */
  public HttpOptions {
    List<String> violations = new ArrayList<>();
    if (!timeout.isPositive()) {
      violations.add("timeout is " + timeout + ", it must be more than zero");
    }
    if (!connectTimeout.isPositive()) {
      violations.add("connectTimeout is " + connectTimeout + ", it must be more than zero");
    }
    if (maxReplyBytes < 1) {
      violations.add("maxReplyBytes is " + maxReplyBytes + ", at least 1 is allowed");
    }
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", violations));
    }
  }

  public static HttpOptions defaults() {
    return new HttpOptions(Duration.ofSeconds(30), Duration.ofSeconds(5), 16 << 20, null);
  }

  public HttpOptions withTimeout(Duration value) {
    return new HttpOptions(value, connectTimeout, maxReplyBytes, token);
  }

  public HttpOptions withConnectTimeout(Duration value) {
    return new HttpOptions(timeout, value, maxReplyBytes, token);
  }

  public HttpOptions withMaxReplyBytes(int bytes) {
    return new HttpOptions(timeout, connectTimeout, bytes, token);
  }

  public HttpOptions withToken(Supplier<String> value) {
    return new HttpOptions(timeout, connectTimeout, maxReplyBytes, value);
  }

  @Override
  public String toString() {
    return "HttpOptions[timeout=%s, connectTimeout=%s, maxReplyBytes=%,d, token=%s]"
        .formatted(timeout, connectTimeout, maxReplyBytes, token == null ? "none" : "given");
  }
}
