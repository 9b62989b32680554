/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** The bytes of a history that consists of parts, and for the journal its changes. */
public final class PartChanges {

  private PartChanges() {}

  /** A part that restores what was recorded of it. */
  @FunctionalInterface
  public interface Target {

    /**
     * @param name the part; it may no longer exist
     */
    void apply(String name, byte[] changes) throws IOException;
  }

  /** Parts without changes need no room: the result is empty if nothing changed. */
  public static byte[] toBytes(Map<String, byte[]> parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      for (Map.Entry<String, byte[]> part : parts.entrySet()) {
        if (part.getValue().length > 0) {
          out.writeUTF(part.getKey());
          write(out, part.getValue());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * Gives each part its changes.
   *
   * @throws IOException if these are not bytes that {@link #toBytes} returned
   */
  public static void apply(byte[] bytes, Target parts) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      while (in.available() > 0) {
        parts.apply(in.readUTF(), read(in));
      }
    }
  }

  /** Writes a part with its length. */
  public static void write(DataOutputStream out, byte[] part) throws IOException {
    out.writeInt(part.length);
    out.write(part);
  }

  /**
   * Reads a part that {@link #write} wrote, from bytes in memory.
   *
   * @throws IOException if some of its bytes are missing
   */
  public static byte[] read(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new EOFException("a part of %d bytes is not complete".formatted(length));
    }
    return in.readNBytes(length);
  }
}
