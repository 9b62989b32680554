/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import io.forebay.call.Message;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.DecodeFailure;
import io.forebay.call.value.ValueText;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a message says, behind its envelope.
 *
 * @param result whether it is the result of a call of an own service
 * @param methods each method once
 * @param statements references to the catalogue, and SQL text
 * @param error SQL state and kind of a failed statement, or null
 * @param argumentCount how many arguments or values it has; a statement's own are counted, not its
 *     text
 * @param rows how many rows the statement changed or returned; null if it is no result of one
 * @param arguments as text
 * @param cut what is missing from the arguments because they are large, or null
 * @param undecodable why it cannot be decoded, or null
 */
record Content(
    boolean result,
    List<String> methods,
    List<String> statements,
    @Nullable String error,
    int argumentCount,
    @Nullable Long rows,
    List<String> arguments,
    @Nullable String cut,
    @Nullable String undecodable) {

  private static final Set<String> STATEMENTS =
      Set.of("executeUpdate", "executeQuery", "executeTogether");
  private static final Set<String> RESULTS = Set.of("updateResult", "queryResult");
  private static final Set<String> FAILURES = Set.of("updateThrown", "queryThrown");

  /**
   * @param values whether arguments are wanted as text; otherwise they are only counted
   */
  static Content of(ByteBuffer message, boolean values) {
    Reading reading = new Reading(message, values);
    try {
      reading.message();
      return reading.content(null);
    } catch (DecodeFailure e) {
      return reading.content(e.reason.name());
    }
  }

  /** What it is: statement, result, call, event, failure, or none (no answer). */
  String kind(Message envelope) {
    if (envelope.failure() != null || methods.stream().anyMatch(FAILURES::contains)) {
      return "failure";
    }
    if (methods.isEmpty()) {
      return "none";
    }
    String method = methods.getFirst();
    if (result || RESULTS.contains(method)) {
      return "result";
    }
    if (STATEMENTS.contains(method)) {
      return "statement";
    }
    return envelope.source().isPresent() ? "event" : "call";
  }

  private static final class Reading {

    private final CborInput in = new CborInput();
    private final ValueText values = new ValueText(in);
    private final Set<String> methods = new LinkedHashSet<>();
    private final List<String> statements = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final boolean wanted;
    private boolean result;
    private int count;
    private @Nullable String error;
    private @Nullable Long rows;

    Reading(ByteBuffer message, boolean wanted) {
      this.wanted = wanted;
      in.reset(message);
    }

    Content content(@Nullable String undecodable) {
      return new Content(
          result,
          List.copyOf(methods),
          statements,
          error,
          count,
          rows,
          arguments,
          values.cut(),
          undecodable);
    }

    void message() {
      int items = list("a message");
      in.skip(); // version
      in.skip(); // id
      in.skip(); // time
      if (!in.skipNull()) {
        headers();
      }
      for (int i = 4; i < items; i += 2) {
        call(text());
      }
    }

    private void headers() {
      in.head(Cbor.MAP, "the headers");
      int headers = in.checkedCount(2);
      for (int i = 0; i < headers; i++) {
        if (text().equals("result")) {
          result = true;
          list("a result");
          methods.add(text());
          value();
        } else {
          in.skip();
        }
      }
    }

    private void call(String method) {
      methods.add(method);
      int parameters = list("the arguments");
      if (method.equals("executeTogether") && parameters == 1) {
        together();
      } else if (STATEMENTS.contains(method) && parameters >= 2) {
        statements.add(text());
        for (int i = 1; i < parameters - 1; i++) {
          in.skip(); // the class of the rows
        }
        list();
      } else {
        if (FAILURES.contains(method) && parameters == 1) {
          int at = in.at;
          thrown();
          in.at = at;
        } else if (RESULTS.contains(method) && parameters == 1) {
          int at = in.at;
          rows = rows();
          in.at = at;
        }
        for (int i = 0; i < parameters; i++) {
          value();
        }
      }
    }

    private void together() {
      int calls = list("the statements");
      for (int i = 0; i < calls; i++) {
        in.head(Cbor.MAP, "a statement");
        int parts = in.checkedCount(2);
        for (int part = 0; part < parts; part++) {
          switch (text()) {
            case "sql" -> statements.add(text());
            case "args" -> list();
            default -> in.skip();
          }
        }
      }
    }

    /** With those of the results before it; null if it cannot be read. */
    private @Nullable Long rows() {
      long before = rows == null ? 0 : rows;
      int major = in.head() & 0xe0;
      if (major == Cbor.UNSIGNED) {
        return in.argument < 0 ? null : before + in.argument;
      }
      if (major != Cbor.MAP) {
        return null;
      }
      int parts = in.checkedCount(2);
      for (int part = 0; part < parts; part++) {
        if (text().equals("values")) {
          return before + list("the rows");
        }
        in.skip();
      }
      return null;
    }

    private void thrown() {
      String state = "";
      String kind = "";
      in.head(Cbor.MAP, "a failure");
      int parts = in.checkedCount(2);
      for (int part = 0; part < parts; part++) {
        switch (text()) {
          case "sqlState" -> state = text();
          case "kind" -> kind = text();
          default -> in.skip();
        }
      }
      error = (state + " " + kind).strip();
    }

    private void list() {
      int elements = list("the arguments of a statement");
      for (int i = 0; i < elements; i++) {
        value();
      }
    }

    private int list(String what) {
      in.head(Cbor.ARRAY, what);
      return in.checkedCount(1);
    }

    private void value() {
      count++;
      if (!wanted) {
        in.skip();
        return;
      }
      String value = values.next();
      if (value != null) {
        arguments.add(value);
      }
    }

    private String text() {
      return in.textBytes(in.string(Cbor.TEXT, "a text"));
    }
  }
}
