/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.text.Formats;

/**
 * The disk at one moment.
 *
 * @param sizeBytes its usable size, without the part that the file system reserves for root
 * @param usedBytes bytes used
 * @param reserveBytes bytes that must stay free
 */
public record Volume(long sizeBytes, long usedBytes, long reserveBytes) {

  /** A backend that refuses appends accepts them again above this part of the reserve. */
  private static final double ACCEPTED_AGAIN = 1.1;

  /** The use at which appends are refused: size minus reserve. */
  public long stopBytes() {
    return Math.max(0, sizeBytes - reserveBytes);
  }

  /**
   * The bytes to free until appends that are refused are accepted again; 0 if enough are free. A
   * tenth more than the reserve must be free then. Rounded up, so that who frees what is shown
   * frees enough.
   */
  public long toFreeBytes() {
    long wanted = (long) Math.ceil(reserveBytes * ACCEPTED_AGAIN);
    return Formats.roundedUp(Math.max(0, wanted - (sizeBytes - usedBytes)));
  }

  /** The bytes that can be written until appends are refused; negative beyond that. */
  public long freeBytes() {
    return stopBytes() - usedBytes;
  }
}
