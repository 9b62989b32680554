/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The violations that a checker found, by kind, with the first few texts of each kind. */
final class Violations {

  private static final int SHOWN = 5;

  private final Map<String, List<String>> shown = new LinkedHashMap<>();
  private final Map<String, Integer> counts = new LinkedHashMap<>();

  /**
   * @param sort lost, duplicate, reordered, …
   */
  void add(String sort, String text, Object... args) {
    counts.merge(sort, 1, Integer::sum);
    List<String> texts = shown.computeIfAbsent(sort, _ -> new ArrayList<>());
    if (texts.size() < SHOWN) {
      texts.add(text.formatted(args));
    }
  }

  /** The kinds that were found, with their counts. */
  Map<String, Integer> counts() {
    return counts;
  }

  @Override
  public String toString() {
    StringBuilder all = new StringBuilder();
    shown.forEach((sort, texts) -> {
      all.append("%n%s (%d):".formatted(sort, counts.get(sort)));
      texts.forEach(text -> all.append("%n  ".formatted()).append(text));
    });
    return all.toString();
  }
}
