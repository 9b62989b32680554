/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.linux;

import java.util.BitSet;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** CPUs of a host, as Linux lists them: {@code 0-1,3}. Immutable. */
public final class CpuSet {

  /** The most CPUs that Linux can have. */
  static final int LIMIT = 8192;

  private static final Pattern RANGE = Pattern.compile("\\s*(\\d{1,4})(?:-(\\d{1,4}))?\\s*");

  private final BitSet cpus;

  private CpuSet(BitSet cpus) {
    this.cpus = cpus;
  }

  /**
   * Reads a list such as {@code 2-3} or {@code 0-1,3}, without a look at the host.
   *
   * @throws IllegalArgumentException if it is not such a list
   */
  public static CpuSet of(String list) {
    BitSet cpus = new BitSet();
    for (String part : list.split(",", -1)) {
      Matcher range = RANGE.matcher(part);
      boolean isRange = range.matches();
      int first = isRange ? Integer.parseInt(range.group(1)) : LIMIT;
      int last = isRange && range.group(2) != null ? Integer.parseInt(range.group(2)) : first;
      if (last < first || last >= LIMIT) {
        throw new IllegalArgumentException(
            "\"%s\" is not a list of CPUs such as 0-1,3".formatted(list));
      }
      cpus.set(first, last + 1);
    }
    return new CpuSet(cpus);
  }

  /** A set from a bit mask of the kernel. */
  static CpuSet ofMask(byte[] mask) {
    return new CpuSet(BitSet.valueOf(mask));
  }

  /** The bit mask for the kernel. */
  byte[] mask() {
    return cpus.toByteArray();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CpuSet set && set.cpus.equals(cpus);
  }

  @Override
  public int hashCode() {
    return cpus.hashCode();
  }

  /** The list, in order. */
  @Override
  public String toString() {
    StringJoiner list = new StringJoiner(",");
    int next;
    for (int first = cpus.nextSetBit(0); first >= 0; first = cpus.nextSetBit(next)) {
      next = cpus.nextClearBit(first);
      list.add(next == first + 1 ? "" + first : first + "-" + (next - 1));
    }
    return list.toString();
  }
}
