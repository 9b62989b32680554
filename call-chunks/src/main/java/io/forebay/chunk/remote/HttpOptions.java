/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.text.Formats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Options for sending chunks over HTTP.
 *
 * @param timeout how long a chunk is retried and awaited, unless its collector gives up earlier;
 *     default 30 s
 * @param maxReplyBytes the maximum size of a reply; default 16 MiB
 * @param token supplies the bearer token for each request; default null, no token
 * @param plainHttp whether the token may go to another host without TLS; default false
 */
public record HttpOptions(
    Duration timeout, int maxReplyBytes, @Nullable Supplier<String> token, boolean plainHttp) {

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException naming all violations
   */
  public HttpOptions {
    List<String> violations = new ArrayList<>();
    if (!timeout.isPositive()) {
      violations.add("timeout is " + Formats.duration(timeout) + ", it must be more than zero");
    }
    if (maxReplyBytes < 1) {
      violations.add("maxReplyBytes is " + maxReplyBytes + ", minimum 1");
    }
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", violations));
    }
  }

  public static HttpOptions defaults() {
    return new HttpOptions(Duration.ofSeconds(30), 16 << 20, null, false);
  }

  public HttpOptions withTimeout(Duration value) {
    return new HttpOptions(value, maxReplyBytes, token, plainHttp);
  }

  public HttpOptions withMaxReplyBytes(int bytes) {
    return new HttpOptions(timeout, bytes, token, plainHttp);
  }

  public HttpOptions withToken(Supplier<String> value) {
    return new HttpOptions(timeout, maxReplyBytes, value, plainHttp);
  }

  /** Lets the token go to another host in plain text, such as in a network that encrypts itself. */
  public HttpOptions withPlainHttp() {
    return new HttpOptions(timeout, maxReplyBytes, token, true);
  }

  @Override
  public String toString() {
    return "HttpOptions[timeout=%s, maxReplyBytes=%,d, token=%s]"
        .formatted(timeout, maxReplyBytes, token == null ? "none" : "given");
  }
}
