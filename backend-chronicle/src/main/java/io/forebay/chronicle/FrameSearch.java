/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.Capabilities;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/**
 * Looks for a frame in a file that Chronicle cannot read, to tell a file that was never finished
 * from one whose beginning was lost.
 */
final class FrameSearch {

  private static final int WINDOW = 64 << 20;
  private static final int LONGEST =
      Integer.BYTES + Frame.HEADER_BYTES + Capabilities.MAX_MESSAGE_BYTES;

  private FrameSearch() {}

  /** Whether there is a good frame anywhere, at a place where Chronicle would put a document. */
  static boolean findsFrame(FileChannel file) throws IOException {
    Frame frame = new Frame();
    for (long from = 0; from < file.size(); from += WINDOW) {
      long size = Math.min(WINDOW + LONGEST, file.size() - from);
      ByteBuffer window =
          file.map(FileChannel.MapMode.READ_ONLY, from, size).order(ByteOrder.nativeOrder());
      for (int at = 0; at + Integer.BYTES + Frame.HEADER_BYTES <= size; at += Integer.BYTES) {
        if (isFrame(window, at, frame)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isFrame(ByteBuffer window, int at, Frame frame) {
    int length = window.getInt(at) - Frame.HEADER_BYTES;
    int payload = at + Integer.BYTES + Frame.HEADER_BYTES;
    if (length < 0
        || length > Capabilities.MAX_MESSAGE_BYTES
        || payload + length > window.limit()) {
      return false;
    }
    long word = window.getLong(at + Integer.BYTES);
    int kind = (int) (word >>> 56);
    if (kind != Frame.MESSAGE && kind != Frame.RESUME) {
      return false;
    }
    frame.room(length);
    frame.word(word);
    window.get(payload, frame.bytes(), Frame.WORD_BYTES, length);
    return frame.checksum() == window.getInt(payload - Integer.BYTES);
  }
}
