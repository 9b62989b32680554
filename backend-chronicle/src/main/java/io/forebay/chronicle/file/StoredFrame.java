/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.queue.Capabilities;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * One frame, as it is stored in one Chronicle document, all numbers little-endian:
 *
 * <pre>
 *   8 bytes   the kind in the top byte, the message number in the other seven
 *   4 bytes   CRC32C over the eight bytes before and all bytes behind
 *   4 bytes   how many messages before this one were not yet forced to disk when it was written,
 *             {@link #UNKNOWN} if they do not fit; only in frames of kind {@link #MESSAGE}
 *   n bytes   the payload
 * </pre>
 *
 * <p>A reusable buffer that holds one frame at a time; for one thread. It keeps word and payload
 * side by side, so that one call computes the checksum.
 */
public final class StoredFrame {

  /** Sets the number of the next message; see {@link io.forebay.chronicle.PartitionLog#skipTo}. */
  static final int RESUME = 2;

  /** Carries a message, and the number up to which everything was forced to disk. */
  public static final int MESSAGE = 3;

  private static final int UNKNOWN = -1;

  public static final int WORD_BYTES = 8;
  public static final int HEADER_BYTES = WORD_BYTES + 4;
  public static final int DISTANCE_BYTES = 4;
  public static final int MAX_LENGTH = DISTANCE_BYTES + Capabilities.MAX_MESSAGE_BYTES;
  public static final long MAX_NUMBER = (1L << 56) - 1;

  /** The size of Chronicle's header before each document. */
  private static final int DOCUMENT_HEADER_BYTES = 4;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle DISTANCE =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final CRC32C crc = new CRC32C();
  private byte[] bytes = new byte[1024];
  private ByteBuffer payload = ByteBuffer.wrap(bytes);
  private int length;

  /** The space a message's frame takes in the file, where documents are aligned to four bytes. */
  public static long storedBytes(int messageBytes) {
    return DOCUMENT_HEADER_BYTES + HEADER_BYTES + DISTANCE_BYTES + ((messageBytes + 3L) & ~3L);
  }

  /**
   * Fills in a message; does not change the position of the given buffer.
   *
   * @param forced everything before this message is forced to disk
   */
  public void message(long number, long forced, ByteBuffer message) {
    int size = message.remaining();
    room(DISTANCE_BYTES + size);
    message.get(message.position(), bytes, WORD_BYTES + DISTANCE_BYTES, size);
    WORD.set(bytes, 0, (long) MESSAGE << 56 | number);
    long distance = number - forced;
    DISTANCE.set(bytes, WORD_BYTES, distance < Integer.MAX_VALUE ? (int) distance : UNKNOWN);
  }

  /** Moves a message to another number, together with the number up to which all was forced. */
  void renumber(long number) {
    WORD.set(bytes, 0, word() & ~MAX_NUMBER | number);
  }

  void resume(long number) {
    room(0);
    WORD.set(bytes, 0, (long) RESUME << 56 | number);
  }

  /** Ensures room for the given number of bytes behind the word of {@link #bytes()}. */
  public void room(int size) {
    if (bytes.length < WORD_BYTES + size) {
      int wanted = Integer.highestOneBit(WORD_BYTES + size - 1) << 1;
      bytes = Arrays.copyOf(bytes, Math.min(wanted, WORD_BYTES + MAX_LENGTH));
      payload = ByteBuffer.wrap(bytes);
    }
    length = size;
  }

  public void word(long word) {
    WORD.set(bytes, 0, word);
  }

  public long word() {
    return (long) WORD.get(bytes, 0);
  }

  /** Whether a frame with this word is of a kind that this version writes or reads. */
  static boolean isKnown(long word) {
    int kind = (int) (word >>> 56);
    return kind == MESSAGE || kind == RESUME;
  }

  /**
   * Reads the frame that begins at a place of a buffer in little-endian order.
   *
   * @param length of what is stored after the checksum; the buffer has that many bytes
   * @return whether its checksum is right
   */
  boolean read(ByteBuffer file, int at, int length) {
    room(length);
    word(file.getLong(at));
    file.get(at + HEADER_BYTES, bytes, WORD_BYTES, length);
    return isGood(file.getInt(at + WORD_BYTES));
  }

  /** {@link #MESSAGE}, {@link #RESUME}, or something unknown. */
  public int kind() {
    return (int) (word() >>> 56);
  }

  /** Whether the content matches the given checksum. */
  public boolean isGood(int checksum) {
    return kind() != 0 && (kind() != MESSAGE || length >= DISTANCE_BYTES) && checksum == checksum();
  }

  /** Everything before this message was forced to disk when the frame was written. */
  long forced() {
    if (kind() != MESSAGE) {
      return 0;
    }
    int distance = (int) DISTANCE.get(bytes, WORD_BYTES);
    return distance == UNKNOWN ? 0 : number() - distance;
  }

  public long number() {
    return word() & MAX_NUMBER;
  }

  /** The number of the next message behind this frame. */
  long following() {
    return kind() == MESSAGE ? number() + 1 : number();
  }

  public int length() {
    return length;
  }

  /** The word, followed by everything that is stored after the checksum. */
  public byte[] bytes() {
    return bytes;
  }

  public int checksum() {
    crc.reset();
    crc.update(bytes, 0, WORD_BYTES + length);
    return (int) crc.getValue();
  }

  /** A view of the payload of a message; every call returns the same buffer. */
  public ByteBuffer payload() {
    return payload
        .order(ByteOrder.BIG_ENDIAN)
        .clear()
        .position(WORD_BYTES + DISTANCE_BYTES)
        .limit(WORD_BYTES + length);
  }
}
