/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The options of a subcommand: {@code --name} or {@code --name value}, nothing else. */
final class Options {

  private final Map<String, String> given = new HashMap<>();

  /**
   * @param flags names of the options without a value
   * @param valued names of the options with a value
   * @throws UsageError if an argument is unknown, is repeated, or lacks its value
   */
  Options(List<String> arguments, Set<String> flags, Set<String> valued) {
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      String name = argument.startsWith("--") ? argument.substring(2) : "";
      String value = "";
      if (valued.contains(name)) {
        if (++i == arguments.size()) {
          throw new UsageError("option --" + name + " needs a value");
        }
        value = arguments.get(i);
      } else if (!flags.contains(name)) {
        throw new UsageError("unknown option '" + argument + "'");
      }
      if (given.put(name, value) != null) {
        throw new UsageError("option --" + name + " is given twice");
      }
    }
  }

  boolean has(String name) {
    return given.containsKey(name);
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(given.get(name));
  }

  String required(String name) {
    return text(name).orElseThrow(() -> new UsageError("option --" + name + " is missing"));
  }

  /** A whole number of at least 1. */
  Optional<Long> count(String name) {
    return text(name)
        .map(value -> {
          try {
            long count = Long.parseLong(value);
            if (count > 0) {
              return count;
            }
          } catch (NumberFormatException e) {
            // falls through to the error below
          }
          throw new UsageError("option --" + name + " needs a whole number from 1 on");
        });
  }

  /** A decimal number above 0. */
  Optional<Double> amount(String name) {
    return text(name)
        .map(value -> {
          try {
            double amount = Double.parseDouble(value);
            if (amount > 0 && amount < Double.POSITIVE_INFINITY) {
              return amount;
            }
          } catch (NumberFormatException e) {
            // falls through to the error below
          }
          throw new UsageError("option --" + name + " needs a number above 0");
        });
  }

  /** A percentage above 0 and up to 100. */
  Optional<Double> percent(String name) {
    return text(name)
        .map(value -> {
          try {
            double percent = Double.parseDouble(value);
            if (percent > 0 && percent <= 100) {
              return percent;
            }
          } catch (NumberFormatException e) {
            // falls through to the error below
          }
          throw new UsageError("option --" + name + " needs a percentage above 0 and up to 100");
        });
  }
}
