/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** A line of figures that a trial's process prints for its parent. */
final class FigureLine {

  private FigureLine() {}

  /**
   * @param kind one word, with which the line begins
   */
  static String of(String kind, Map<String, Double> figures) {
    return figures.entrySet().stream()
        .map(it -> " " + it.getKey() + "=" + it.getValue())
        .collect(Collectors.joining("", kind, ""));
  }

  static boolean is(String kind, String line) {
    return line.startsWith(kind + " ");
  }

  static Map<String, Double> figures(String line) {
    Map<String, Double> figures = new LinkedHashMap<>();
    Arrays.stream(line.split(" "))
        .skip(1)
        .map(it -> it.split("="))
        .forEach(it -> figures.put(it[0], Double.valueOf(it[1])));
    return figures;
  }
}
