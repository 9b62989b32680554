/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import io.forebay.queue.QueueRefused;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Writes CBOR items into one array that is reused for each message. It grows up to the queue's
 * largest message and refuses larger ones.
 */
public final class CborOutput {

  private static final int INITIAL = 1 << 10;
  private static final int SLACK = 64;

  private final String queue;
  private final int maxMessageBytes;

  public byte[] bytes;
  public int at;
  private ByteBuffer view;

  public CborOutput(String queue, int maxMessageBytes) {
    this.queue = queue;
    this.maxMessageBytes = maxMessageBytes;
    this.bytes = new byte[INITIAL];
    this.view = ByteBuffer.wrap(bytes);
  }

  /** Encodes items to bytes, to be written many times. */
  public static byte[] encoded(Consumer<CborOutput> items) {
    CborOutput out = new CborOutput("", Integer.MAX_VALUE / 2);
    items.accept(out);
    return Arrays.copyOf(out.bytes, out.at);
  }

  /** The bytes from {@code start} to here, in a buffer that is valid until the next write. */
  public ByteBuffer view(int start) {
    return view.clear().position(start).limit(at);
  }

  /** Throws if the message that begins at {@code start} is now too large. */
  public void checkSize(int start) {
    if (at - start > maxMessageBytes) {
      throw tooLarge();
    }
  }

  /** Whether the message that begins at {@code start} may have that many more bytes. */
  public boolean hasRoom(int start, int more) {
    return at - start + more <= maxMessageBytes;
  }

  void ensure(int more) {
    if (bytes.length - at < more) {
      grow(more);
    }
  }

  private void grow(int more) {
    long needed = (long) at + more;
    if (needed > maxMessageBytes + (long) SLACK) {
      throw tooLarge();
    }
    long doubled = Math.min(2L * bytes.length, maxMessageBytes + (long) SLACK);
    bytes = Arrays.copyOf(bytes, (int) Math.max(needed, doubled));
    view = ByteBuffer.wrap(bytes);
  }

  private QueueRefused tooLarge() {
    return new QueueRefused(
        QueueRefused.Reason.TOO_LARGE,
        "a message exceeds the limit of queue %s (limit=%,d bytes); it was not appended"
            .formatted(queue, maxMessageBytes));
  }

  public void put(int b) {
    ensure(1);
    bytes[at++] = (byte) b;
  }

  public void raw(byte[] source, int from, int length) {
    ensure(length);
    System.arraycopy(source, from, bytes, at, length);
    at += length;
  }

  /** The head of an item in its shortest form; the argument is an unsigned number. */
  public void head(int major, long argument) {
    ensure(9);
    if (argument < 0 || argument > 0xffff_ffffL) {
      bytes[at] = (byte) (major | 27);
      Cbor.LONGS.set(bytes, at + 1, argument);
      at += 9;
    } else if (argument < 24) {
      bytes[at++] = (byte) (major | argument);
    } else if (argument <= 0xff) {
      bytes[at] = (byte) (major | 24);
      bytes[at + 1] = (byte) argument;
      at += 2;
    } else if (argument <= 0xffff) {
      bytes[at] = (byte) (major | 25);
      Cbor.SHORTS.set(bytes, at + 1, (short) argument);
      at += 3;
    } else {
      bytes[at] = (byte) (major | 26);
      Cbor.INTS.set(bytes, at + 1, (int) argument);
      at += 5;
    }
  }

  void tag(int tag) {
    head(Cbor.TAG, tag);
  }

  public void integer(long value) {
    if (value >= 0) {
      head(Cbor.UNSIGNED, value);
    } else {
      head(Cbor.NEGATIVE, ~value);
    }
  }

  public void bool(boolean value) {
    put(value ? Cbor.TRUE : Cbor.FALSE);
  }

  public void float32(float value) {
    ensure(5);
    bytes[at] = (byte) Cbor.FLOAT32;
    Cbor.INTS.set(bytes, at + 1, Float.floatToIntBits(value));
    at += 5;
  }

  public void float64(double value) {
    ensure(9);
    bytes[at] = (byte) Cbor.FLOAT64;
    Cbor.LONGS.set(bytes, at + 1, Double.doubleToLongBits(value));
    at += 9;
  }

  public void byteString(byte[] value) {
    head(Cbor.BYTES, value.length);
    raw(value, 0, value.length);
  }

  /** The 16 bytes of an id, without a head. */
  public void id(long high, long low) {
    ensure(16);
    Cbor.LONGS.set(bytes, at, high);
    Cbor.LONGS.set(bytes, at + 8, low);
    at += 16;
  }

  /** A number of 8 bytes, whatever its value. */
  public void time(long micros) {
    ensure(9);
    bytes[at] = (byte) (Cbor.UNSIGNED | 27);
    Cbor.LONGS.set(bytes, at + 1, micros);
    at += 9;
  }

  /** A 16-byte string. */
  public void byteString(long high, long low) {
    ensure(17);
    bytes[at] = Cbor.BYTES | 16;
    Cbor.LONGS.set(bytes, at + 1, high);
    Cbor.LONGS.set(bytes, at + 9, low);
    at += 17;
  }

  /**
   * Text as a text string or, with another major type, its UTF-8 bytes.
   *
   * @throws RefusedValue if it holds half of a surrogate pair
   */
  public void text(int major, String text) {
    int length = text.length();
    head(major, length);
    ensure(length);
    byte[] target = bytes;
    int start = at;
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        notAscii(major, text, start);
        return;
      }
      target[start + i] = (byte) c;
    }
    at = start + length;
  }

  private void notAscii(int major, String text, int start) {
    int headBytes = headBytes(text.length());
    at = start - headBytes;
    int encoded = Utf8.length(text);
    head(major, encoded);
    ensure(encoded);
    Utf8.encode(text, bytes, at);
    at += encoded;
  }

  private static int headBytes(int length) {
    return length < 24 ? 1 : length <= 0xff ? 2 : length <= 0xffff ? 3 : 5;
  }
}
