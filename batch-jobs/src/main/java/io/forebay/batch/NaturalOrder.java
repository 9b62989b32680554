/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import java.util.Comparator;
import java.util.regex.Pattern;

/** The order of names in which part:2 comes before part:11. */
public final class NaturalOrder {

  public static final Comparator<String> OF_NAMES =
      Comparator.comparing(NaturalOrder::withPaddedNumbers);

  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  private NaturalOrder() {}

  private static String withPaddedNumbers(String name) {
    return NUMBER
        .matcher(name)
        .replaceAll(it -> "0".repeat(Math.max(0, 20 - it.group().length())) + it.group());
  }
}
