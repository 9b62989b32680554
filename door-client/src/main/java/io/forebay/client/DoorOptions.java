/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.time.Duration;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link DoorClient}.
 *
 * @param token supplies the bearer token for each request; default null, no token
 * @param retryFor how long a request is retried before its last failure is thrown; zero: it is sent
 *     once; default 1 min
 * @param sslContext for addresses that begin with {@code https}; default null, that of the JVM
 * @param plainHttp whether the token may go to another host without TLS; default false
 */
public record DoorOptions(
    @Nullable Supplier<String> token,
    Duration retryFor,
    @Nullable SSLContext sslContext,
    boolean plainHttp) {

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException if one is violated
   */
  public DoorOptions {
    if (retryFor.isNegative()) {
      throw new IllegalArgumentException(
          "retryFor is %s, it must not be negative".formatted(retryFor));
    }
  }

  public static DoorOptions defaults() {
    return new DoorOptions(null, Duration.ofMinutes(1), null, false);
  }

  public DoorOptions withToken(String value) {
    return withToken(() -> value);
  }

  /** The supplier is called by several threads, before each request. */
  public DoorOptions withToken(Supplier<String> value) {
    return new DoorOptions(value, retryFor, sslContext, plainHttp);
  }

  public DoorOptions withRetryFor(Duration value) {
    return new DoorOptions(token, value, sslContext, plainHttp);
  }

  /** Trusts the servers that the context trusts, and shows them its certificate if it has one. */
  public DoorOptions withSslContext(SSLContext value) {
    return new DoorOptions(token, retryFor, value, plainHttp);
  }

  /** Lets the token go to another host in plain text, such as in a network that encrypts itself. */
  public DoorOptions withPlainHttp() {
    return new DoorOptions(token, retryFor, sslContext, true);
  }

  @Override
  public String toString() {
    return "DoorOptions[token=%s, retryFor=%s]"
        .formatted(token == null ? "none" : "given", retryFor);
  }
}
