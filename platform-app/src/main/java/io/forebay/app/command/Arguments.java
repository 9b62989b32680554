/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.command;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a command.
 *
 * @param options with their values; a flag has an empty one
 * @param configuration arguments for Spring: those with a dot in their name
 */
public record Arguments<O extends Arguments.Option>(
    Map<O, String> options, List<String> configuration) {

  /** An option, which prints as it is written on the command line. */
  public interface Option {

    /** Whether it takes no value. */
    boolean isFlag();
  }

  /**
   * @param command its name, for messages
   * @param allowed the options of the command
   * @throws WrongUsage if the arguments cannot be used
   */
  public static <O extends Option> Arguments<O> of(
      String command, Collection<O> allowed, List<String> arguments) {
    Map<O, String> options = new LinkedHashMap<>();
    List<String> configuration = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      int equals = argument.indexOf('=');
      String name = equals < 0 ? argument : argument.substring(0, equals);
      if (name.startsWith("--") && name.indexOf('.') > 0) {
        configuration.add(argument);
        continue;
      }
      O option = option(command, allowed, name);
      String value = equals < 0 ? null : argument.substring(equals + 1);
      if (option.isFlag()) {
        if (value != null) {
          throw new WrongUsage("%s takes no value (value=%s)".formatted(option, value));
        }
        value = "";
      } else if (value == null) {
        i++;
        value = i < arguments.size() ? arguments.get(i) : "";
      }
      if (!option.isFlag() && value.isEmpty()) {
        throw new WrongUsage("%s needs a value".formatted(option));
      }
      if (options.put(option, value) != null) {
        throw new WrongUsage("%s is given twice".formatted(option));
      }
    }
    return new Arguments<>(options, configuration);
  }

  private static <O extends Option> O option(String command, Collection<O> allowed, String name) {
    return allowed.stream()
        .filter(it -> it.toString().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new WrongUsage(
                "%s has no option %s (allowed: %s, and properties such as --forebay.data=DIR)"
                    .formatted(
                        command,
                        name,
                        allowed.stream().map(Object::toString).collect(Collectors.joining(", ")))));
  }

  public boolean has(O option) {
    return options.containsKey(option);
  }

  public @Nullable String value(O option) {
    return options.get(option);
  }

  /**
   * A whole number of an option.
   *
   * @param otherwise if the option is not given
   * @throws WrongUsage if its value is something else
   */
  public long number(O option, long least, long otherwise) {
    String text = value(option);
    return text == null ? otherwise : number(option, text, least);
  }

  /**
   * A whole number in the value of an option.
   *
   * @throws WrongUsage if the text is something else
   */
  public static long number(Option option, String text, long least) {
    if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) < least) {
      throw new WrongUsage(
          "%s=%s is not a whole number (allowed: %,d and more)".formatted(option, text, least));
    }
    return Long.parseLong(text);
  }
}
