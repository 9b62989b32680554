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

/** Silences of problems. They do not survive the process. Thread-safe. */
public final class Silences {

  private final Map<String, Silence> silences = new ConcurrentHashMap<>();

  /** Replaces an earlier silence of the problem. */
  public void add(String problem, Silence silence) {
    silences.put(problem, silence);
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
