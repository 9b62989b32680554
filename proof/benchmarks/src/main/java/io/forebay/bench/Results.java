/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The JSON files of all benchmarks in a folder. */
final class Results {

  private final Map<String, JsonNode> files = new LinkedHashMap<>();

  /**
   * @param benchmarks the names of the files to read; those that do not exist are not measured
   */
  static Results read(Path folder, List<String> benchmarks) throws IOException {
    Results results = new Results();
    JsonMapper mapper = new JsonMapper();
    for (String benchmark : benchmarks) {
      Path file = ResultFiles.json(folder, benchmark);
      if (Files.exists(file)) {
        results.files.put(benchmark, mapper.readTree(Files.readString(file)));
      }
    }
    return results;
  }

  /** The contents of a file; empty if it does not exist. */
  Optional<JsonNode> of(String benchmark) {
    return Optional.ofNullable(files.get(benchmark));
  }

  /** All contents, by benchmark. */
  Map<String, JsonNode> all() {
    return files;
  }

  /** A figure of a contender; null if it was not measured. */
  Rounds.@Nullable Summary figure(String benchmark, String contender, String figure) {
    for (JsonNode entry :
        of(benchmark).map(it -> it.path("contenders")).stream()
            .flatMap(JsonNode::valueStream)
            .toList()) {
      if (entry.path("name").asString().equals(contender)) {
        return summary(entry, figure);
      }
    }
    return null;
  }

  static Rounds.@Nullable Summary summary(JsonNode contender, String figure) {
    JsonNode of = contender.path(figure);
    return of.isObject()
        ? new Rounds.Summary(
            of.path("median").asDouble(), of.path("min").asDouble(), of.path("max").asDouble())
        : null;
  }

  /** A number that is looked up in the results; empty if it was not measured. */
  @FunctionalInterface
  interface Value {

    OptionalDouble of(Results results);

    static Value median(String benchmark, String contender, String figure) {
      return of(benchmark, contender, figure, Rounds.Summary::median);
    }

    static Value greatest(String benchmark, String contender, String figure) {
      return of(benchmark, contender, figure, Rounds.Summary::max);
    }

    private static Value of(
        String benchmark, String contender, String figure, ToDoubleFunction<Rounds.Summary> part) {
      return results -> {
        Rounds.Summary summary = results.figure(benchmark, contender, figure);
        return summary == null
            ? OptionalDouble.empty()
            : OptionalDouble.of(part.applyAsDouble(summary));
      };
    }

    /**
     * A setting of the run.
     *
     * @param path the names that lead to it
     */
    static Value setting(String benchmark, String... path) {
      return results -> {
        JsonNode node = results.of(benchmark).orElse(null);
        for (int i = 0; node != null && i < path.length; i++) {
          node = node.get(path[i]);
        }
        return node == null || !node.isNumber()
            ? OptionalDouble.empty()
            : OptionalDouble.of(node.asDouble());
      };
    }

    default Value over(Value other) {
      return results -> {
        OptionalDouble of = of(results);
        OptionalDouble against = other.of(results);
        return of.isPresent() && against.isPresent()
            ? OptionalDouble.of(of.getAsDouble() / against.getAsDouble())
            : OptionalDouble.empty();
      };
    }

    default Value minus(Value other) {
      return results -> {
        OptionalDouble of = of(results);
        OptionalDouble less = other.of(results);
        return of.isPresent() && less.isPresent()
            ? OptionalDouble.of(of.getAsDouble() - less.getAsDouble())
            : OptionalDouble.empty();
      };
    }

    default Value times(double factor) {
      return results -> {
        OptionalDouble of = of(results);
        return of.isPresent() ? OptionalDouble.of(of.getAsDouble() * factor) : of;
      };
    }

    /**
     * @param format of the number
     */
    default Cell as(String format) {
      return results -> {
        OptionalDouble of = of(results);
        return of.isPresent() ? String.format(Locale.ROOT, format, of.getAsDouble()) : NOT_MEASURED;
      };
    }
  }

  static final String NOT_MEASURED = "not measured";

  /** A cell of a table. */
  @FunctionalInterface
  interface Cell {

    /** A figure that does not exist. */
    Cell NONE = of("–");

    String text(Results results);

    static Cell of(String text) {
      return _ -> text;
    }
  }
}
