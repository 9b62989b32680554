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
record LoadRequest(String host, String path, String token, long run) {

  /** The number of the first request; later requests count up. */
  static final long FIRST = 1_000_000_000_000L;

  static final String CUSTOMER = "customer-0042";
  static final double AMOUNT = 12.25;

  /** The text before the id; another constant has the text after it. */
  static final String BODY_START = "{\"id\":";

  String bodyEnd() {
    return ",\"run\":%d,\"customer\":\"%s\",\"amount\":%s}".formatted(run, CUSTOMER, AMOUNT);
  }

  Copy copy() {
    int length = (BODY_START + FIRST + bodyEnd()).length();
    String head =
        """
        POST %s HTTP/1.1
        Host: %s
        Authorization: Bearer %s
        Content-Type: application/json
        Content-Length: %d

        """
            .formatted(path, host, token, length)
            .replace("\n", "\r\n");
    byte[] all = (head + BODY_START + FIRST + bodyEnd()).getBytes(StandardCharsets.US_ASCII);
    return new Copy(
        ByteBuffer.allocateDirect(all.length).put(all).flip(),
        head.length() + BODY_START.length() + Long.toString(FIRST).length());
  }

  /** The request as bytes. */
  static final class Copy {

    private final ByteBuffer bytes;
    private final int numberEnd;

    private Copy(ByteBuffer bytes, int numberEnd) {
      this.bytes = bytes;
      this.numberEnd = numberEnd;
    }

    /** The complete request with this number. */
    ByteBuffer numbered(long number) {
      long rest = number;
      for (int i = numberEnd - 1; rest > 0; i--) {
        bytes.put(i, (byte) ('0' + rest % 10));
        rest /= 10;
      }
      return bytes.rewind();
    }
  }
}
