/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.watch.Problem.Silence;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What nobody wants to hear of for a while. Forgotten with the process. Thread-safe. */
final class Silences {

  private final Map<String, Silence> silences = new ConcurrentHashMap<>();

  void add(String problem, Silence silence) {
    silences.put(problem, silence);
  }

  /** The problems, the silenced ones last. */
  List<Problem> apply(List<Problem> problems, Instant now) {
    silences.values().removeIf(silence -> !silence.until().isAfter(now));
    return problems.stream()
        .map(problem -> problem.silenced(silences.get(problem.id())))
        .sorted(Problem.URGENT)
        .toList();
  }
}
