/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.admin.verdict.Problem.Silence;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Silences of problems. They do not survive the process. Thread-safe. */
public final class Silences {

  private final Map<String, Silence> silences = new ConcurrentHashMap<>();

  /** Replaces an earlier silence of the problem. */
  public void add(String problem, Silence silence) {
    silences.put(problem, silence);
  }

  /** The silence of a problem; null if there is none now. */
  public @Nullable Silence find(String problem, Instant now) {
    Silence silence = silences.get(problem);
    return silence != null && silence.until().isAfter(now) ? silence : null;
  }

  /**
   * Replaces exactly this silence.
   *
   * @param to null to end it
   * @return false if the problem has another silence now, or none
   */
  public boolean replace(String problem, @Nullable Silence from, @Nullable Silence to) {
    if (from == null) {
      return false;
    }
    return to == null ? silences.remove(problem, from) : silences.replace(problem, from, to);
  }

  /** Marks the silenced problems and sorts them last. */
  public List<Problem> apply(List<Problem> problems, Instant now) {
    silences.values().removeIf(silence -> !silence.until().isAfter(now));
    return problems.stream()
        .map(problem -> problem.silenced(silences.get(problem.id())))
        .sorted(Problem.URGENT)
        .toList();
  }
}
