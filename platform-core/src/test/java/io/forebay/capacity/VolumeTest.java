/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How much must be freed on a full disk. */
class VolumeTest {

  private static final long MIB = 1L << 20;

  @Test
  void whoFreesWhatIsShownFreesEnough() {
    long size = 400 * MIB;
    long reserve = 256 * MIB;
    for (long free = 0; free < reserve; free += 12_345) {
      Volume volume = new Volume(size, size - free, reserve);
      double wanted = 1.1 * reserve - free;
      long shown = volume.toFreeBytes();
      assertThat(shown % MIB).as("the page shows whole MiB from 10 MiB on").isZero();
      assertThat((double) shown).isGreaterThanOrEqualTo(wanted).isLessThan(wanted + MIB);
    }
  }

  @Test
  void nothingMustBeFreedIfATenthMoreThanTheReserveIsFree() {
    assertThat(new Volume(10_000, 8_900, 1_000).toFreeBytes()).isZero();
    assertThat(new Volume(10_000, 8_901, 1_000).toFreeBytes()).isEqualTo(1);
  }
}
