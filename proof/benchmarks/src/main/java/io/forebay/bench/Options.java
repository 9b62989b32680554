/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** The options of a command: {@code --name} or {@code --name value}, nothing else. */
final class Options {

  private final Map<String, String> given = new LinkedHashMap<>();

  /**
   * @param known such as {@code --short --rows N}: an option that a word follows takes a value
   * @throws UsageError if an argument is unknown, is repeated, or lacks its value
   */
  Options(List<String> arguments, String known) {
    Map<String, Boolean> valued = new HashMap<>();
    for (String option : known.split(" ?--")) {
      valued.put(option.split(" ")[0], option.contains(" "));
    }
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String argument = rest.next();
      String name = argument.startsWith("--") ? argument.substring(2) : "";
      if (name.isEmpty() || !valued.containsKey(name)) {
        throw new UsageError("unknown option '" + argument + "'");
      }
      if (valued.get(name) && !rest.hasNext()) {
        throw new UsageError("option --" + name + " needs a value");
      }
      if (given.put(name, valued.get(name) ? rest.next() : "") != null) {
        throw new UsageError("option --" + name + " is given twice");
      }
    }
  }

  /** The options with their values; files are left out. */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>(given);
    settings.keySet().removeAll(Set.of("out", "server"));
    return settings;
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

  /** The words of a value, such as the options of a JVM. */
  List<String> words(String name) {
    return text(name).map(it -> List.of(it.strip().split(" +"))).orElse(List.of());
  }

  /** A whole number of at least 1. */
  Optional<Long> count(String name) {
    return number(name, "a whole number from 1 on", Long::valueOf, it -> it > 0);
  }

  /** A decimal number above 0. */
  Optional<Double> amount(String name) {
    return number(
        name, "a number above 0", Double::valueOf, it -> it > 0 && it < Double.POSITIVE_INFINITY);
  }

  /** A percentage above 0 and up to 100. */
  Optional<Double> percent(String name) {
    return number(
        name, "a percentage above 0 and up to 100", Double::valueOf, it -> it > 0 && it <= 100);
  }

  private <N> Optional<N> number(
      String name, String what, Function<String, N> parse, Predicate<N> isValid) {
    return text(name)
        .map(value -> {
          try {
            N number = parse.apply(value);
            if (isValid.test(number)) {
              return number;
            }
          } catch (NumberFormatException _) {
            // reported below
          }
          throw new UsageError("option --" + name + " needs " + what);
        });
  }
}
