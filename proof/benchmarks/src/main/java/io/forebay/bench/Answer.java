/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Parses an HTTP/1.1 answer incrementally (RFC 9112): its status, and where it ends. An answer
 * without a length has no body; the server sends none in chunks.
 */
final class Answer {

  private static final int CAPACITY = 64 * 1024;

  private final byte[] bytes = new byte[CAPACITY];
  private final ByteBuffer buffer = ByteBuffer.wrap(bytes);
  private int bodyStart;
  private int bodyLength;
  private int status;
  private boolean closes;

  void clear() {
    buffer.clear();
    bodyStart = 0;
    bodyLength = 0;
    status = 0;
    closes = false;
  }

  int readFrom(ReadableByteChannel channel) throws IOException {
    if (!buffer.hasRemaining()) {
      throw new IOException("an answer is longer than " + CAPACITY + " bytes");
    }
    return channel.read(buffer);
  }

  boolean isComplete() throws IOException {
    if (bodyStart == 0 && !readHead()) {
      return false;
    }
    return buffer.position() >= bodyStart + bodyLength;
  }

  int status() {
    return status;
  }

  /** Whether the server closes the connection after this answer. */
  boolean closes() {
    return closes;
  }

  private boolean readHead() throws IOException {
    int end = buffer.position();
    int line = 0;
    for (int i = 1; i < end; i++) {
      if (bytes[i] != '\n') {
        continue;
      }
      int length = i - 1 - line;
      if (length == 0) {
        bodyStart = i + 1;
        return true;
      }
      if (line == 0) {
        status = number(9, 12);
      } else {
        readHeader(line, length);
      }
      line = i + 1;
    }
    bodyLength = 0;
    return false;
  }

  /** Reads a header. Only few matter, and first letters exclude most others. */
  private void readHeader(int start, int length) throws IOException {
    int first = bytes[start] | 0x20;
    if (first != 'c' && first != 't') {
      return;
    }
    String header =
        new String(bytes, start, length, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    if (header.startsWith("content-length:")) {
      bodyLength = Integer.parseInt(header.substring(15).strip());
    } else if (header.startsWith("transfer-encoding:")) {
      throw new IOException("an answer does not state its length");
    } else if (header.startsWith("connection:") && header.endsWith("close")) {
      closes = true;
    }
  }

  private int number(int from, int to) throws IOException {
    int number = 0;
    for (int i = from; i < to; i++) {
      if (bytes[i] < '0' || bytes[i] > '9') {
        throw new IOException("an answer does not begin with an HTTP status");
      }
      number = number * 10 + bytes[i] - '0';
    }
    return number;
  }
}
