/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** CPUs of this host, as Linux lists them: {@code 0-1,3}. Immutable. */
public final class CpuSet {

  /** The most CPUs that Linux can have. */
  static final int LIMIT = 8192;

  private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");
  private static final Pattern RANGE = Pattern.compile("\\s*(\\d{1,4})(?:-(\\d{1,4}))?\\s*");

  private final BitSet cpus;

  private CpuSet(BitSet cpus) {
    this.cpus = cpus;
  }

  /**
   * Reads a list such as {@code 2-3} or {@code 0-1,3}.
   *
   * @throws IllegalArgumentException if it is not such a list, or one of the CPUs does not exist;
   *     on a system that does not list its CPUs, all exist
   */
  public static CpuSet of(String list) {
    CpuSet host = online();
    CpuSet set = parse(list);
    if (set == null) {
      throw new IllegalArgumentException(
          "\"%s\" is not a list of CPUs such as 0-1,3%s".formatted(list, has(host)));
    }
    if (host != null) {
      BitSet missing = (BitSet) set.cpus.clone();
      missing.andNot(host.cpus);
      if (!missing.isEmpty()) {
        throw new IllegalArgumentException(
            "\"%s\" names CPUs that do not exist: %s%s"
                .formatted(list, new CpuSet(missing), has(host)));
      }
    }
    return set;
  }

  private static String has(@Nullable CpuSet host) {
    return host == null ? "" : "; this host has CPUs " + host;
  }

  /** Reads a list without a look at the host; null if it is not a list. */
  static @Nullable CpuSet parse(String list) {
    BitSet cpus = new BitSet();
    for (String part : list.split(",", -1)) {
      Matcher range = RANGE.matcher(part);
      if (!range.matches()) {
        return null;
      }
      int first = Integer.parseInt(range.group(1));
      int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
      if (last < first || last >= LIMIT) {
        return null;
      }
      cpus.set(first, last + 1);
    }
    return new CpuSet(cpus);
  }

  /** The CPUs of this host; null if it does not list them. */
  private static @Nullable CpuSet online() {
    try {
      return Files.isReadable(ONLINE) ? parse(Files.readString(ONLINE)) : null;
    } catch (IOException e) {
      return null;
    }
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
