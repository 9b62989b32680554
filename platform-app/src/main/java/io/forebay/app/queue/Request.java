/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.app.command.Arguments;
import io.forebay.app.command.WrongUsage;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The arguments of the command. */
record Request(Action action, Arguments<Option> arguments) {

  static final String USAGE =
      """
      Usage: java -jar forebay.jar queue ls | dump | tail | grep | replay [options] [--forebay.data=DIR …]

        ls     lists the queues with their partitions and positions
        dump   prints messages
        tail   prints the last messages of each partition, 10 unless --limit says otherwise
        grep   prints messages with the given --id, --key or --statement
        replay copies messages of an in-queue into a new data directory, for a test of another version

        --queue NAME         only this queue, such as main.in
        --partition N        only this partition
        --from, --to         first and last position, or time (2026-11-23T10:15:00Z)
        --id UUID            only the message with this id, and its answer
        --key KEY            only messages with this idempotency key
        --statement TEXT     only statements of this name in the catalogue (orders.place, orders.place@1),
                             calls of this method, and SQL text that contains TEXT
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
    DUMP(EnumSet.complementOf(EnumSet.of(Option.FOLLOW, Option.INTO))),
    TAIL(EnumSet.complementOf(EnumSet.of(Option.INTO))),
    GREP(EnumSet.complementOf(EnumSet.of(Option.FOLLOW, Option.INTO))),
    REPLAY(EnumSet.complementOf(EnumSet.of(Option.FOLLOW, Option.VALUES)));

    private final Set<Option> allowed;

    Action(Set<Option> allowed) {
      this.allowed = allowed;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  enum Option implements Arguments.Option {
    QUEUE,
    PARTITION,
    FROM,
    TO,
    ID,
    KEY,
    STATEMENT,
    LIMIT,
    FORMAT,
    VALUES,
    FOLLOW,
    INTO;

    @Override
    public boolean isFlag() {
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
    return new Request(
        action,
        Arguments.of("queue " + action, action.allowed, arguments.subList(1, arguments.size())));
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

  /** The messages that are wanted. */
  Selection selection() {
    return new Selection(
        bound(Option.FROM), bound(Option.TO), id(), value(Option.KEY), value(Option.STATEMENT));
  }

  boolean has(Option option) {
    return arguments.has(option);
  }

  @Nullable String value(Option option) {
    return arguments.value(option);
  }

  /** Arguments for Spring. */
  List<String> configuration() {
    return arguments.configuration();
  }

  private @Nullable Bound bound(Option option) {
    String text = value(option);
    try {
      return text == null ? null : Bound.of(text);
    } catch (IllegalArgumentException e) {
      throw new WrongUsage("%s=%s %s".formatted(option, text, e.getMessage()));
    }
  }

  private @Nullable UUID id() {
    String text = value(Option.ID);
    if (text == null) {
      return null;
    }
    if (!text.matches("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}")) {
      throw new WrongUsage(
          "--id=%s is not a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057".formatted(text));
    }
    return UUID.fromString(text);
  }

  /**
   * A whole number of an option.
   *
   * @param otherwise if the option is not given
   */
  long number(Option option, long least, long otherwise) {
    return arguments.number(option, least, otherwise);
  }
}
