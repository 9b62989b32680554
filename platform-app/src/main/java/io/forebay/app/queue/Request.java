/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of the command.
 *
 * @param options with their values; a flag has an empty one
 * @param configuration arguments for Spring: those with a dot in their name
 */
record Request(Action action, Map<Option, String> options, List<String> configuration) {

  static final String USAGE =
      """
      Usage: java -jar forebay.jar queue ls | dump | tail | grep | replay [options] [--forebay.data=DIR …]

        ls     lists the queues with their partitions and positions
        dump   prints messages
        tail   prints the messages at the last positions of each partition, 10 unless --limit says otherwise
        grep   prints the messages with the given --id or --key, and their answers
        replay copies messages of an in-queue into a new data directory, for a test of another version

        --queue NAME         only this queue, such as main.in
        --partition N        only this partition
        --from N, --to N     first and last position
        --id UUID            only messages with this id
        --key KEY            only messages with this idempotency key
        --limit N            at most N messages
        --values             prints arguments and values, which may be personal data
        --format yaml|ndjson
        -f                   (tail) also prints new messages, until Ctrl-C
        --into DIR           (replay) a directory that does not exist yet, or is empty

      Arguments with a dot configure Forebay as for the service: --forebay.data=DIR,
      --spring.profiles.active=kafka. Exit status: 0; 1 if grep or replay finds
      nothing; 2 for an error.
      """;

  enum Action {
    LS(EnumSet.of(Option.QUEUE, Option.PARTITION, Option.FORMAT)),
    DUMP(EnumSet.range(Option.QUEUE, Option.VALUES)),
    TAIL(
        EnumSet.of(
            Option.QUEUE,
            Option.PARTITION,
            Option.FORMAT,
            Option.LIMIT,
            Option.VALUES,
            Option.FOLLOW)),
    GREP(EnumSet.range(Option.QUEUE, Option.KEY)),
    REPLAY(EnumSet.complementOf(EnumSet.of(Option.VALUES, Option.FOLLOW)));

    private final Set<Option> allowed;

    Action(Set<Option> allowed) {
      this.allowed = allowed;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  enum Option {
    QUEUE,
    PARTITION,
    FORMAT,
    LIMIT,
    FROM,
    TO,
    VALUES,
    ID,
    KEY,
    INTO,
    FOLLOW;

    private boolean isFlag() {
      return this == VALUES || this == FOLLOW;
    }

    @Override
    public String toString() {
      return this == FOLLOW ? "-f" : "--" + name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * @param arguments those after {@code queue}
   * @throws WrongUsage if they cannot be used
   */
  static Request of(List<String> arguments) {
    Action action = action(arguments.isEmpty() ? "" : arguments.getFirst());
    Map<Option, String> options = new EnumMap<>(Option.class);
    List<String> configuration = new ArrayList<>();
    for (int i = 1; i < arguments.size(); i++) {
      String[] parts = arguments.get(i).split("=", 2);
      if (parts[0].startsWith("--") && parts[0].indexOf('.') > 0) {
        configuration.add(arguments.get(i));
        continue;
      }
      Option option = option(action, parts[0]);
      String value = parts.length > 1 ? parts[1] : "";
      if (parts.length == 1 && !option.isFlag() && i + 1 < arguments.size()) {
        value = arguments.get(++i);
      }
      if (option.isFlag() ? parts.length > 1 : value.isEmpty()) {
        throw new WrongUsage(option + (option.isFlag() ? " takes no value" : " needs a value"));
      }
      if (options.put(option, value) != null) {
        throw new WrongUsage(option + " is given twice");
      }
    }
    return new Request(action, options, configuration);
  }

  private static Action action(String name) {
    return Arrays.stream(Action.values())
        .filter(it -> it.toString().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new WrongUsage(
                (name.isEmpty() ? "queue needs a command" : "queue has no command " + name)
                    + " (allowed: ls, dump, tail, grep, replay)"));
  }

  private static Option option(Action action, String name) {
    return action.allowed.stream()
        .filter(it -> it.toString().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new WrongUsage(
                "queue %s has no option %s (allowed: %s, and properties such as --forebay.data=DIR)"
                    .formatted(action, name, action.allowed)));
  }

  boolean has(Option option) {
    return options.containsKey(option);
  }

  @Nullable String value(Option option) {
    return options.get(option);
  }

  /**
   * The id that is wanted.
   *
   * @return null if none is
   * @throws WrongUsage if it is no UUID
   */
  @Nullable UUID id() {
    String text = value(Option.ID);
    if (text != null && !text.matches("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}")) {
      throw new WrongUsage(
          "--id=%s is not a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057".formatted(text));
    }
    return text == null ? null : UUID.fromString(text);
  }

  /**
   * A whole number of an option.
   *
   * @param otherwise if the option is not given
   * @throws WrongUsage if its value is something else
   */
  long number(Option option, long least, long otherwise) {
    String text = value(option);
    if (text != null && (!text.matches("[0-9]{1,18}") || Long.parseLong(text) < least)) {
      throw new WrongUsage(
          "%s=%s is not a whole number (allowed: %,d and more)".formatted(option, text, least));
    }
    return text == null ? otherwise : Long.parseLong(text);
  }
}
