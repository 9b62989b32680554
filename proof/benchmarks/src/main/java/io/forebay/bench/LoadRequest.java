/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A POST of an order in JSON. Its id is a number with a fixed count of digits.
 *
 * @param run the run of the benchmark to which the order belongs
 */
record LoadRequest(int port, String path, String token, long run) {

  /** The number of the first request; later requests count up. */
  static final long FIRST = 1_000_000_000_000L;

  static final String CUSTOMER = "customer-0042";
  static final double AMOUNT = 12.25;

  String host() {
    return "127.0.0.1:" + port;
  }

  /** The text before the id; another constant has the text after it. */
  static final String BODY_START = "{\"id\":";

  String bodyEnd() {
    return ",\"run\":%d,\"customer\":\"%s\",\"amount\":%s}".formatted(run, CUSTOMER, AMOUNT);
  }

  /** The first request as bytes. */
  ByteBuffer bytes() {
    byte[] all = (head() + BODY_START + FIRST + bodyEnd()).getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocateDirect(all.length).put(all).flip();
  }

  /** Where the digits of the number end in these bytes. */
  int numberEnd() {
    return (head() + BODY_START + FIRST).length();
  }

  private String head() {
    return """
    POST %s HTTP/1.1
    Host: %s
    Authorization: Bearer %s
    Content-Type: application/json
    Content-Length: %d

    """
        .formatted(path, host(), token, (BODY_START + FIRST + bodyEnd()).length())
        .replace("\n", "\r\n");
  }
}
