/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What happened in a history, for a person; kept only when somebody will read it. */
final class Trace {

  private final boolean kept;
  private final List<String> lines = new ArrayList<>();
  private long hash = 1;

  Trace(boolean kept) {
    this.kept = kept;
  }

  void add(World world, String who, String what, Object... arguments) {
    String text = arguments.length == 0 ? what : String.format(Locale.ROOT, what, arguments);
    hash = 31 * (31 * hash + world.nanos()) + text.hashCode();
    if (kept) {
      lines.add("%,16.6f ms  %-10s %s".formatted(world.nanos() / 1e6, who, text));
    }
  }

  /** Differs if anything differed. */
  long hash() {
    return hash;
  }

  List<String> lines() {
    return lines;
  }
}
