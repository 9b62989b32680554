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
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A file with the SHA-256 of its content. Whatever is read later are the bytes that were hashed: a
 * block that was changed meanwhile is refused, and bytes appended meanwhile are not read. For one
 * thread.
 *
 * <p>Implementation note: besides the hash of the file, memory holds that of each block of 1 MiB,
 * 32 MiB for a file of 1 TiB.
 */
final class HashedFile implements ReadAt {

  private static final int BLOCK = 1 << 20;
  private static final int HASH = 32;

  private final FileChannel file;
  private final long size;
  private final String sha256;
  private final String prefixSha256;
  private final byte[] hashes;
  private final ByteBuffer block = ByteBuffer.allocate(BLOCK);
  private final MessageDigest digest = sha256();

  /** The number of the block that is in memory. */
  private long loaded = -1;

  /** Called between blocks. */
  interface Progress {
    /**
     * @param bytes how many are hashed
     */
    void hashed(long bytes, long size);
  }

  /**
   * Hashes a file as it is now.
   *
   * @param prefix the length of the part that is also hashed alone
   */
  HashedFile(FileChannel file, long prefix, Progress progress) throws IOException {
    this.file = file;
    size = file.size();
    hashes = new byte[Math.multiplyExact(Math.toIntExact(Math.ceilDiv(size, BLOCK)), HASH)];
    MessageDigest whole = sha256();
    String atPrefix = "";
    for (long from = 0; from < size; from += BLOCK) {
      fill(from);
      byte[] bytes = block.array();
      int length = block.limit();
      if (prefix >= from && prefix < from + length) {
        whole.update(bytes, 0, (int) (prefix - from));
        atPrefix = hex(copy(whole).digest());
        whole.update(bytes, (int) (prefix - from), length - (int) (prefix - from));
      } else {
        whole.update(bytes, 0, length);
      }
      System.arraycopy(hash(), 0, hashes, Math.toIntExact(from / BLOCK * HASH), HASH);
      progress.hashed(from + length, size);
    }
    sha256 = hex(whole.digest());
    prefixSha256 = prefix == size ? sha256 : atPrefix;
  }

  long size() {
    return size;
  }

  /** In hexadecimal digits. */
  String sha256Hex() {
    return sha256;
  }

  /** That of the prefix; empty if the file is shorter. */
  String prefixSha256Hex() {
    return prefixSha256;
  }

  /**
   * @throws ImportRefused if the file was changed since it was hashed
   */
  @Override
  public int read(ByteBuffer target, long from) throws IOException {
    if (from >= size) {
      return -1;
    }
    long wanted = from / BLOCK;
    if (wanted != loaded) {
      loaded = -1;
      fill(wanted * BLOCK);
      int at = Math.toIntExact(wanted * HASH);
      if (!Arrays.equals(hash(), 0, HASH, hashes, at, at + HASH)) {
        throw new ImportRefused(
            "the file was changed while it was imported (near byte %,d; SHA-256 at the start %s); records before the changed part were imported; restore the original file and restart the import"
                .formatted(from, sha256));
      }
      loaded = wanted;
    }
    int at = (int) (from % BLOCK);
    int count = Math.min(target.remaining(), block.limit() - at);
    target.put(block.array(), at, count);
    return count;
  }

  /** Loads a block, as far as the file reached when it was hashed; the rest of it is zero. */
  private void fill(long from) throws IOException {
    Arrays.fill(block.array(), (byte) 0);
    block.clear().limit((int) Math.min(BLOCK, size - from));
    FileWindow.read(file::read, from, block);
  }

  private byte[] hash() {
    digest.update(block.array(), 0, block.limit());
    return digest.digest();
  }

  private static String hex(byte[] hash) {
    return HexFormat.of().formatHex(hash);
  }

  private static MessageDigest copy(MessageDigest digest) {
    try {
      return (MessageDigest) digest.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
