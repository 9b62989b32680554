/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.util.OptionalLong;

/**
 * The disk at one moment.
 *
 * @param sizeBytes what can be used of it, without what the file system keeps for root
 * @param usedBytes of that
 * @param reserveBytes what must stay free
 */
public record Volume(long sizeBytes, long usedBytes, long reserveBytes) {

  private static final long LEAST_RESERVE = 20L << 30;

  /**
   * With the usual reserve: 5 % of the size, 20 GiB or the next file to be created at its full
   * size, whichever is most.
   */
  public static Volume of(long sizeBytes, long usedBytes, OptionalLong nextFileBytes) {
    long reserve = Math.max(Math.max(sizeBytes / 20, LEAST_RESERVE), nextFileBytes.orElse(0));
    return new Volume(sizeBytes, usedBytes, reserve);
  }

  /** Where accepting stops: size without reserve. */
  public long stopBytes() {
    return Math.max(0, sizeBytes - reserveBytes);
  }

  /** What can be written until accepting stops; negative beyond. */
  public long freeBytes() {
    return stopBytes() - usedBytes;
  }
}
