/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.sender;

import java.nio.ByteBuffer;

/**
 * Marks a message that perhaps no instance wrote: whoever did may claim any sender. The mark is
 * another version of the message, at the place where every message has one, so that it stays with
 * the bytes wherever they are read or kept. Readers see the claimed sender behind {@link #PREFIX}.
 *
 * <p>Only readers of a queue set the mark; stored messages do not have it. If another program
 * writes it, it says what is true.
 */
public final class UnprovenSender {

  /** What the names of senders begin with that are not proven; no other name does. */
  public static final String PREFIX = "kafka:";

  /** The version of a marked message; it has the format of version 0. */
  public static final int VERSION = 23;

  private static final int ARRAY = 0x80;

  private UnprovenSender() {}

  /** Marks a message. Does nothing with bytes that are no message of version 0. */
  public static void mark(ByteBuffer message) {
    int at = version(message);
    if (at >= 0 && message.get(at) == 0) {
      message.put(at, (byte) VERSION);
    }
  }

  /**
   * Where the mark is; −1 if the message is not marked.
   *
   * @return an index in the buffer
   */
  public static int at(ByteBuffer message) {
    int at = version(message);
    return at >= 0 && message.get(at) == VERSION ? at : -1;
  }

  /** The index of the last byte of the version, whose other bytes are zero; −1 if there is none. */
  private static int version(ByteBuffer message) {
    int array = message.position();
    int head = head(message, array, ARRAY);
    if (head == 0) {
      return -1;
    }
    int version = array + head;
    int last = version + head(message, version, 0) - 1;
    if (last < version) {
      return -1;
    }
    for (int at = version + 1; at < last; at++) {
      if (message.get(at) != 0) {
        return -1;
      }
    }
    return last;
  }

  /** The bytes of a CBOR head; 0 if there is no whole head of that major type. */
  private static int head(ByteBuffer message, int at, int major) {
    if (at >= message.limit() || (message.get(at) & 0xe0) != major) {
      return 0;
    }
    int info = message.get(at) & 31;
    int bytes = info < 24 ? 1 : info < 28 ? 1 + (1 << info - 24) : 0;
    return at + bytes <= message.limit() ? bytes : 0;
  }
}
