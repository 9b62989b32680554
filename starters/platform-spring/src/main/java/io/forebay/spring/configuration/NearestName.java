/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that a user may have meant, by edit distance (Levenshtein). */
final class NearestName {

  private NearestName() {}

  /** The nearest of these names, unless it differs too much. */
  static Optional<String> to(String given, Collection<String> names) {
    return names.stream()
        .min(Comparator.comparingInt(name -> distance(given, name)))
        .filter(name -> distance(given, name) <= Math.max(3, name.length() / 3));
  }

  private static int distance(String a, String b) {
    int[] above = new int[b.length() + 1];
    for (int j = 0; j < above.length; j++) {
      above[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[above.length];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
      }
      above = row;
    }
    return above[b.length()];
  }
}
