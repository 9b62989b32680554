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
  private String last = "";
  private int times;
  private long hash = 1;

  Trace(boolean kept) {
    this.kept = kept;
  }

  void add(World world, String who, String what, Object... arguments) {
    String text = arguments.length == 0 ? what : String.format(Locale.ROOT, what, arguments);
    hash = 31 * (31 * hash + world.nanos()) + text.hashCode();
    explain(world, who, text);
  }

  /** Adds what only explains, so that it need not be known when nobody will read it. */
  void explain(World world, String who, String what) {
    if (!kept) {
      return;
    }
    String text = String.format(Locale.ROOT, "%-9s  %s", who, what);
    if (text.equals(last)) {
      lines.removeLast();
      times++;
    } else {
      last = text;
      times = 1;
    }
    String line = String.format(Locale.ROOT, "%8.3f s  %s", world.nanos() / 1e9, text);
    lines.add(times == 1 ? line : "%s (%d times)".formatted(line, times));
  }

  boolean isKept() {
    return kept;
  }

  /** Differs if anything differed. */
  long hash() {
    return hash;
  }

  List<String> lines() {
    return lines;
  }
}
