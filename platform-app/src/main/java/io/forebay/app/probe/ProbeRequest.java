/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.app.command.Arguments;
import io.forebay.app.command.WrongUsage;
import io.forebay.capacity.sweep.Plan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of the command.
 *
 * @param paths what is measured; empty for everything that is configured
 * @param gateway the gateway whose database is measured; null for the first one
 * @param bytes the size of what each message carries
 * @param isShort whether the figures are rough
 * @param out the page
 * @param configuration arguments for Spring
 */
record ProbeRequest(
    Set<Kind> paths,
    @Nullable String gateway,
    int bytes,
    Plan plan,
    boolean isShort,
    Path out,
    List<String> configuration) {

  static final String USAGE =
      """
      Usage: java -jar forebay.jar probe [options] [--forebay.data=DIR …]

        Measures how many messages per second this host, its disk and the database sustain, with the
        configuration of the service, but with queues and a table of its own, which are deleted at the end.
        It puts full load on them; a service that runs meanwhile slows down.

        --paths LIST     append (to a queue), service (and answered by a component), gateway (and
                         performed on the database); separated by commas; default: all
        --gateway NAME   the gateway whose database is measured; default: the first one
        --bytes N        how many bytes each message carries; default 100
        --seconds N      how long each rate is measured; default 5
        --rates LIST     measures these rates per second only, and does not search
        --short          takes seconds instead of minutes; its figures are rough
        --out FILE.html  the page; default forebay-probe.html; figures go to FILE.json

      Arguments with a dot configure Forebay as for the service: --forebay.data=DIR,
      --spring.profiles.active=kafka. Exit status: 0; 1 if a path sustains none of the
      rates; 2 for an error.
      """;

  private static final String SUFFIX = ".html";

  /** With the rest of the message it must not exceed the limit of the queues. */
  static final int LARGEST = 1_000_000;

  private static final long LONGEST = 3_600;
  private static final Duration LENGTH = Duration.ofSeconds(5);
  private static final Duration SHORT_LENGTH = Duration.ofMillis(200);

  /** What a message passes through. */
  enum Kind {
    APPEND,
    SERVICE,
    GATEWAY;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  enum Option implements Arguments.Option {
    PATHS,
    GATEWAY,
    BYTES,
    SECONDS,
    RATES,
    SHORT,
    OUT;

    @Override
    public boolean isFlag() {
      return this == SHORT;
    }

    @Override
    public String toString() {
      return "--" + name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * @param arguments those after {@code probe}
   * @throws WrongUsage if they cannot be used
   */
  static ProbeRequest of(List<String> arguments) {
    Arguments<Option> given = Arguments.of("probe", EnumSet.allOf(Option.class), arguments);
    return new ProbeRequest(
        paths(given.value(Option.PATHS)),
        given.value(Option.GATEWAY),
        Math.toIntExact(within(Option.BYTES, given.number(Option.BYTES, 1, 100), LARGEST)),
        plan(given),
        given.has(Option.SHORT),
        out(given.value(Option.OUT)),
        given.configuration());
  }

  private static Set<Kind> paths(@Nullable String list) {
    Set<Kind> paths = EnumSet.noneOf(Kind.class);
    for (String name : list == null ? new String[0] : list.split(",")) {
      paths.add(
          Arrays.stream(Kind.values())
              .filter(it -> it.toString().equals(name.strip()))
              .findFirst()
              .orElseThrow(() ->
                  new WrongUsage(
                      "--paths=%s: path %s does not exist (allowed: %s)"
                          .formatted(
                              list,
                              name,
                              Arrays.stream(Kind.values())
                                  .map(Kind::toString)
                                  .collect(Collectors.joining(", "))))));
    }
    return paths;
  }

  private static Plan plan(Arguments<Option> given) {
    boolean brief = given.has(Option.SHORT);
    String rates = given.value(Option.RATES);
    if (brief && given.has(Option.SECONDS)) {
      throw new WrongUsage("--short takes no --seconds");
    }
    long seconds =
        within(Option.SECONDS, given.number(Option.SECONDS, 1, LENGTH.toSeconds()), LONGEST);
    Duration length = brief ? SHORT_LENGTH : Duration.ofSeconds(seconds);
    if (rates != null) {
      return Plan.of(
          Arrays.stream(rates.split(","))
              .map(it -> Arguments.number(Option.RATES, it.strip(), 1))
              .toList(),
          length);
    }
    return brief ? Plan.briefSearch(length) : Plan.search(length);
  }

  private static long within(Option option, long value, long most) {
    if (value > most) {
      throw new WrongUsage("%s=%d is too large (allowed: 1 to %,d)".formatted(option, value, most));
    }
    return value;
  }

  private static Path out(@Nullable String file) {
    Path page = Path.of(file == null ? "forebay-probe" + SUFFIX : file).toAbsolutePath();
    if (!page.toString().endsWith(SUFFIX)) {
      throw new WrongUsage("--out=%s must end with %s".formatted(file, SUFFIX));
    }
    Path directory = page.getParent();
    if (directory == null || !Files.isWritable(directory)) {
      throw new WrongUsage(
          "--out=%s cannot be written: %s is not a directory that this user may write to"
              .formatted(file == null ? page : file, directory));
    }
    return page;
  }

  /** The file with the figures. */
  Path figures() {
    String page = out.toString();
    return Path.of(page.substring(0, page.length() - SUFFIX.length()) + ".json");
  }
}
