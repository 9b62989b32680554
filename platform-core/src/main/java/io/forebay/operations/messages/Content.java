/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import io.forebay.call.Message;
import io.forebay.call.value.ValueReader;
import io.forebay.call.value.ValueText;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a message says, behind its envelope. */
final class Content {

  private static final String TOGETHER = "executeTogether";
  private static final Set<String> STATEMENTS = Set.of("executeUpdate", "executeQuery", TOGETHER);
  private static final Set<String> RESULTS = Set.of("updateResult", "queryResult");
  private static final Set<String> FAILURES = Set.of("updateThrown", "queryThrown");

  /** The methods of its calls, each once. */
  final Set<String> methods = new LinkedHashSet<>();

  /** References to the catalogue, and SQL text, each once. */
  final Set<String> statements = new LinkedHashSet<>();

  /** The arguments as text; those of a statement, not its text. */
  final List<String> arguments = new ArrayList<>();

  private final ValueText values = new ValueText();
  private boolean result;
  private @Nullable String error;

  /**
   * @throws io.forebay.call.value.DecodeFailure if it cannot be decoded
   */
  Content(ByteBuffer message) {
    UntypedMessage read = UntypedMessage.of(message);
    UntypedMessage.Call own = read.result();
    if (own != null) {
      result = true;
      methods.add(own.method());
      arguments.addAll(values.texts(own.arguments()));
    }
    read.calls().forEach(this::call);
  }

  /** What it is: statement, result, call, event, failure, or none (no answer). */
  String kind(Message envelope) {
    if (envelope.failure() != null || methods.stream().anyMatch(FAILURES::contains)) {
      return "failure";
    }
    if (methods.isEmpty()) {
      return "none";
    }
    String method = methods.iterator().next();
    if (result || RESULTS.contains(method)) {
      return "result";
    }
    if (STATEMENTS.contains(method)) {
      return "statement";
    }
    return envelope.source().isPresent() ? "event" : "call";
  }

  /** SQL state and kind of a failed statement, or null. */
  @Nullable String error() {
    return error;
  }

  /** What is missing from the arguments because they are large, or null. */
  @Nullable String cut() {
    return values.cut();
  }

  private void call(UntypedMessage.Call call) {
    String method = call.method();
    methods.add(method);
    Object first = call.arguments().isEmpty() ? null : call.arguments().getFirst();
    if (method.equals(TOGETHER) && first instanceof List<?> all) {
      for (Object one : all) {
        if (one instanceof ValueReader.Pairs parts) {
          statement(parts.get("sql"), parts.get("args"));
        }
      }
    } else if (STATEMENTS.contains(method) && first instanceof String) {
      statement(first, call.arguments().getLast());
    } else {
      if (FAILURES.contains(method) && first instanceof ValueReader.Pairs thrown) {
        error = (text(thrown.get("sqlState")) + " " + text(thrown.get("kind"))).strip();
      }
      arguments.addAll(values.texts(call.arguments()));
    }
  }

  private static String text(@Nullable Object value) {
    return value instanceof String text ? text : "";
  }

  private void statement(@Nullable Object text, @Nullable Object args) {
    statements.add(text(text));
    if (args instanceof List<?> list) {
      arguments.addAll(values.texts(list));
    }
  }
}
