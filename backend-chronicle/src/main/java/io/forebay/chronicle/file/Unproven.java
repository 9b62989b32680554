/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Rewrites the pages of a file unchanged, so that the next force really writes them. A readable
 * page may exist in memory only: after a failed force, the kernel keeps it as if it were written
 * and reports success for the next force.
 */
final class Unproven {

  private static final int PAGE = 4096;
  private static final ByteBuffer ZEROS = ByteBuffer.allocate(PAGE).asReadOnlyBuffer();

  private Unproven() {}

  /**
   * Rewrites the pages from a place on, and the first page, which has Chronicle's header.
   *
   * @param last where the last known document begins; 0 if unknown
   */
  static void rewrite(Path file, long from, long last) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      rewritePage(channel, 0);
      long end = end(channel, last);
      for (long at = Math.max(PAGE, from / PAGE * PAGE); at < end; at += PAGE) {
        rewritePage(channel, at);
      }
    }
  }

  /** The end of all documents, starting from the given one. */
  private static long end(FileChannel channel, long document) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
    long at = document;
    while (channel.read(header.clear(), at) == Integer.BYTES
        && FrameBytes.isReady(header.getInt(0))) {
      at = FrameBytes.behind(at, header.getInt(0));
    }
    return at + Integer.BYTES;
  }

  private static void rewritePage(FileChannel channel, long at) throws IOException {
    ByteBuffer page = ByteBuffer.allocate(PAGE);
    while (page.hasRemaining() && channel.read(page, at + page.position()) > 0) {}
    page.flip();
    if (page.mismatch(ZEROS) < page.limit() && page.mismatch(ZEROS) >= 0) {
      for (long to = at; page.hasRemaining(); ) {
        to += channel.write(page, to);
      }
    }
  }
}
