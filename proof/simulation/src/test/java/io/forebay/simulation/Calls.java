/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborOutput;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.gateway.Pending;
import io.forebay.jdbc.gateway.StatementClient;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/** Sends a statement of each kind, or encodes it as a program without a client of Forebay does. */
final class Calls {

  private static final String SENDER = "sender";
  private static final String EFFECT = "insert into effects (number) values (?)";
  private static final String CHECKED = "insert into checked (number, amount) values (?, ?)";
  private static final String DEADLOCKED = EFFECT + SimulatedConnection.DEADLOCKED;
  private static final String TALLY = "update tally set n = n + 1 where ? > 0 and name = ?";
  private static final String LARGE_QUERY =
      "select repeat('x', 20000) as x, n from tally where ? > 0 and name = 'a'";
  private static final String LARGEST_QUERY = "select x from large where ? > 0";
  private static final String DEADLY = EFFECT + SimulatedConnection.DEADLY;
  private static final String QUERY = "select count(*) as n from tally where ? > 0 and name = ?";

  private Calls() {}

  /** The idempotency key of a statement. */
  static String key(long number) {
    return "key" + number;
  }

  static Pending<?> send(StatementClient client, Sent statement) {
    long number = statement.number;
    String key = key(number);
    return switch (statement.kind) {
      case EFFECT -> client.executeUpdate(EFFECT, number);
      case KEYED -> client.keyed(SENDER, key).executeUpdate(EFFECT, number);
      case TOGETHER ->
          client.executeTogether(List.of(Call.of(EFFECT, number), Call.of(EFFECT, number)));
      case FAILING -> client.executeUpdate(CHECKED, number, -1);
      case KEYED_FAILING -> client.keyed(SENDER, key).executeUpdate(CHECKED, number, -1);
      case TOGETHER_FAILING ->
          client.executeTogether(List.of(Call.of(EFFECT, number), Call.of(CHECKED, number, -1)));
      case KEYED_QUERY -> client.keyed(SENDER, key).executeQuery(LARGE_QUERY, Row.class, number);
      case KEYED_NESTED -> client.keyed(SENDER, key).executeUpdate(CHECKED, number, nested());
      case NESTED -> client.executeUpdate(CHECKED, number, List.of(List.of(1L)));
      case DEADLY -> client.executeUpdate(DEADLY, number);
      case DEADLOCKED -> client.executeUpdate(DEADLOCKED, number);
      case TALLY -> client.executeUpdate(TALLY, number, "a");
      case QUERY -> client.executeQuery(QUERY, Row.class, number, "a");
      case FOREIGN_FAILING, FOREIGN_MIXED, FOREIGN_QUERIES ->
          throw new IllegalArgumentException("no client sends " + statement);
    };
  }

  private static Object nested() {
    Object value = 1L;
    for (int i = 0; i < 31; i++) {
      value = List.of(value);
    }
    return value;
  }

  /** The message of a foreign program, which may have several calls. */
  static ByteBuffer message(Sent statement, UUID id) {
    long number = statement.number;
    return switch (statement.kind) {
      case FOREIGN_FAILING -> message(id, update(CHECKED, number, -1), update(CHECKED, number, -1));
      case FOREIGN_MIXED -> message(id, update(EFFECT, number), update(CHECKED, number, -1));
      case FOREIGN_QUERIES -> message(id, query(number), query(number), query(number));
      default -> throw new IllegalArgumentException("a client sends " + statement);
    };
  }

  @SafeVarargs
  private static ByteBuffer message(UUID id, Consumer<CborOutput>... calls) {
    return ByteBuffer.wrap(
        CborOutput.encoded(out -> {
          out.head(Cbor.ARRAY, 4 + 2 * calls.length);
          out.integer(0);
          out.byteString(id.getMostSignificantBits(), id.getLeastSignificantBits());
          out.time(1);
          out.put(Cbor.NULL);
          for (Consumer<CborOutput> call : calls) {
            call.accept(out);
          }
        }));
  }

  private static Consumer<CborOutput> update(String sql, long... arguments) {
    return out -> {
      out.text(Cbor.TEXT, "executeUpdate");
      out.head(Cbor.ARRAY, 2);
      out.text(Cbor.TEXT, sql);
      arguments(out, arguments);
    };
  }

  private static Consumer<CborOutput> query(long number) {
    return out -> {
      out.text(Cbor.TEXT, "executeQuery");
      out.head(Cbor.ARRAY, 3);
      out.text(Cbor.TEXT, LARGEST_QUERY);
      out.head(0xc0, 39); // the tag of an alias
      out.text(Cbor.TEXT, "row");
      arguments(out, number);
    };
  }

  private static void arguments(CborOutput out, long... arguments) {
    out.head(Cbor.ARRAY, arguments.length);
    for (long argument : arguments) {
      out.integer(argument);
    }
  }
}
