/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.events;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Events that are written at once. For one thread. */
final class EventBuffer {

  private static final int FULL = 64 << 10;
  private static final byte[] ID = "id: ".getBytes(US_ASCII);
  private static final byte[] RESULT = "\nevent: result\ndata: ".getBytes(US_ASCII);
  private static final byte[] END = "\n\n".getBytes(US_ASCII);

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  void clear() {
    bytes.reset();
  }

  boolean isEmpty() {
    return bytes.size() == 0;
  }

  boolean isFull() {
    return bytes.size() >= FULL;
  }

  void result(String position, byte[] document) {
    bytes.writeBytes(ID);
    bytes.writeBytes(position.getBytes(US_ASCII));
    bytes.writeBytes(RESULT);
    bytes.writeBytes(document);
    bytes.writeBytes(END);
  }

  /** Says where the client is to continue, without an event. */
  void position(String position) {
    bytes.writeBytes(ID);
    bytes.writeBytes(position.getBytes(US_ASCII));
    bytes.writeBytes(END);
  }

  void writeTo(OutputStream out) throws IOException {
    bytes.writeTo(out);
  }
}
