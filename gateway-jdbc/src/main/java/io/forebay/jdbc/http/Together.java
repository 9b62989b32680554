/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.Call;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.catalogue.JsonInput;
import io.forebay.jdbc.gateway.Pending;
import io.forebay.jdbc.gateway.StatementClient.Statements;
import io.forebay.web.FieldError;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The statements of one request: one, or several that commit together.
 *
 * @param gateway the gateway or lane that performs them
 * @param partitionKey of the statements that have one
 */
record Together(
    DoorGateway gateway, @Nullable String partitionKey, List<NamedParameters> statements) {

  private static final String STATEMENTS = "/statements";

  static Together of(DoorGateway gateway, NamedParameters statement) {
    return new Together(gateway, statement.partitionKey(), List.of(statement));
  }

  /**
   * Reads {@code {"statements":[{"name":…,"params":{…}},…]}}.
   *
   * @param catalogue finds the entry of a name; throws a problem if the caller cannot send it
   * @param gateways finds the gateway or lane that performs an entry for the caller
   * @throws Problem if they are not valid, or cannot commit together
   */
  static Together read(
      byte[] json,
      Function<String, CatalogueEntry> catalogue,
      Function<CatalogueEntry, DoorGateway> gateways,
      int max) {
    List<NamedParameters> statements =
        NamedParameters.parse(
            json, 0, json.length, (in, errors) -> statements(in, catalogue, max, errors));
    DoorGateway gateway = gateways.apply(statements.getFirst().entry());
    String partitionKey = null;
    for (NamedParameters each : statements) {
      String key = each.partitionKey();
      String refusal = null;
      if (each.entry().isQuery()) {
        refusal = "Only updates can commit together";
      } else if (gateways.apply(each.entry()) != gateway) {
        refusal = "Only statements of one gateway, and of one lane of it, can commit together";
      } else if (key != null && partitionKey != null && !key.equals(partitionKey)) {
        refusal = "Statements with different partition keys would lose their order";
      }
      if (refusal != null) {
        throw notTogether(refusal).with("field", STATEMENTS + "/" + statements.indexOf(each));
      }
      partitionKey = partitionKey == null ? key : partitionKey;
    }
    return new Together(gateway, partitionKey, statements);
  }

  private static Problem notTogether(String why) {
    return new Problem(ProblemType.NOT_TOGETHER, why + "; nothing was accepted");
  }

  private static List<NamedParameters> statements(
      JsonInput in, Function<String, CatalogueEntry> catalogue, int max, List<FieldError> errors) {
    JsonParser parser = in.parser();
    List<NamedParameters> statements = new ArrayList<>();
    boolean isList =
        parser.currentToken() == JsonToken.START_OBJECT
            && "statements".equals(parser.nextName())
            && parser.nextToken() == JsonToken.START_ARRAY;
    for (int i = 0; isList && parser.nextToken() != JsonToken.END_ARRAY; i++) {
      if (i == max) {
        throw notTogether("Too many statements to commit together").with("limit", max);
      }
      NamedParameters statement = NamedParameters.read(in, catalogue, STATEMENTS + "/" + i, errors);
      if (statement != null) {
        statements.add(statement);
      }
    }
    boolean isAll = isList && parser.nextToken() == JsonToken.END_OBJECT;
    if (!isAll || (statements.isEmpty() && errors.isEmpty())) {
      throw Problem.invalidField(
          STATEMENTS, "must be the only member, a list of 1 to %d".formatted(max));
    }
    return statements;
  }

  int size() {
    return statements.size();
  }

  /** Hands them over and returns at once. */
  Pending<?> handOver(Statements to) {
    NamedParameters first = statements.getFirst();
    if (size() > 1) {
      return to.executeTogether(
          statements.stream().map(it -> gateway.call(it.entry(), it.values())).toList());
    }
    Call call = gateway.call(first.entry(), first.values());
    @Nullable Object[] arguments = call.args().toArray();
    return first.entry().isQuery()
        ? to.executeQuery(call.sql(), Row.class, arguments)
        : to.executeUpdate(call.sql(), arguments);
  }
}
