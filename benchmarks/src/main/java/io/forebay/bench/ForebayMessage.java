/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** How long Forebay's message of one statement of a burst is. */
final class ForebayMessage {

  private static final int FRAME = Long.BYTES + Integer.BYTES; // number and CRC32C

  private ForebayMessage() {}

  /** The whole frame as it lies in the queue, from the sizes of the documented message format. */
  static int length() {
    int sql = 2 + ascii(Burst.sql(false));
    int customer = 1 + ascii(Burst.plain(0, 1).customer(0));
    int arguments = 1 + sql + 1 + 9 + customer + 9;
    int method = 1 + ascii("executeUpdate");
    int head = 1 + 1 + 17 + 9 + 1;
    return FRAME + head + method + arguments;
  }

  private static int ascii(String text) {
    return text.getBytes(US_ASCII).length;
  }
}
