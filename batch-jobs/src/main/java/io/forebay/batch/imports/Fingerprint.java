/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Detects whether a file has changed since it was read. */
final class Fingerprint {

  private static final int PART = 4_096;

  private Fingerprint() {}

  /**
   * Computes a fingerprint of the first bytes of a file and the last bytes before a position.
   *
   * @return empty if the file is shorter
   */
  static String of(FileChannel file, long end) throws IOException {
    if (file.size() < end) {
      return "";
    }
    int part = (int) Math.min(PART, end);
    ByteBuffer bytes = ByteBuffer.allocate(2 * part);
    FileWindow.read(file::read, 0, bytes.limit(part));
    FileWindow.read(file::read, end - part, bytes.limit(2 * part));
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
