/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Where to continue a search in each partition, as a text that a caller keeps. */
final class Places {

  private static final Pattern PLACE = Pattern.compile("([0-9]{1,6})\\.([0-9]{1,18})(?:_|$)");

  private Places() {}

  static String text(Map<Integer, Long> positions) {
    return positions.entrySet().stream()
        .map(place -> place.getKey() + "." + place.getValue())
        .collect(Collectors.joining("_"));
  }

  /**
   * @throws IllegalArgumentException if it was not made by {@link #text}
   */
  static Map<Integer, Long> of(String text) {
    Map<Integer, Long> positions = new TreeMap<>();
    Matcher place = PLACE.matcher(text);
    int end = 0;
    while (place.find(end) && place.start() == end) {
      positions.put(Integer.valueOf(place.group(1)), Long.valueOf(place.group(2)));
      end = place.end();
    }
    if (end < text.length() || positions.isEmpty()) {
      throw new IllegalArgumentException(
          "\"before\" or \"after\" is not a place that a page returned");
    }
    return positions;
  }
}
