/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.Call;
import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.catalogue.FieldError;
import io.forebay.jdbc.catalogue.JsonInput;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The statements of one request that commit together: {@code
 * {"statements":[{"name":…,"params":{…}},…]}}. For one request.
 */
final class Together {

  private static final String STATEMENTS = "statements";

  private final Function<String, CatalogueEntry> catalogue;
  private final Function<CatalogueEntry, DoorGateway> gateways;
  private final int max;
  private final List<FieldError> errors;
  private final List<NamedParameters> said = new ArrayList<>();
  private @Nullable DoorGateway gateway;
  private @Nullable String partitionKey;

  private Together(
      Function<String, CatalogueEntry> catalogue,
      Function<CatalogueEntry, DoorGateway> gateways,
      int max,
      List<FieldError> errors) {
    this.catalogue = catalogue;
    this.gateways = gateways;
    this.max = max;
    this.errors = errors;
  }

  /**
   * Reads the statements of a request.
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
    return NamedParameters.parse(
        json,
        0,
        json.length,
        (in, errors) -> {
          Together together = new Together(catalogue, gateways, max, errors);
          together.read(in);
          return together;
        });
  }

  DoorGateway gateway() {
    return Objects.requireNonNull(gateway);
  }

  /** The partition key of the statements that have one. */
  @Nullable String partitionKey() {
    return partitionKey;
  }

  int size() {
    return said.size();
  }

  /** The calls as the gateway's messages carry them. */
  List<Call> calls() {
    return said.stream().map(each -> gateway().call(each.entry(), each.values())).toList();
  }

  private void read(JsonInput in) {
    JsonParser parser = in.parser();
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      errors.add(new FieldError("", "must be an object with statements"));
      parser.skipChildren();
      return;
    }
    boolean given = false;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      if (!name.equals(STATEMENTS) || given) {
        errors.add(
            new FieldError(FieldError.pointer("", name), given ? "appears twice" : "is unknown"));
        parser.skipChildren();
      } else {
        given = true;
        statements(in);
      }
    }
    if (!given || (said.isEmpty() && errors.isEmpty())) {
      errors.add(new FieldError("/" + STATEMENTS, "must be a list of 1 to %d".formatted(max)));
    }
  }

  private void statements(JsonInput in) {
    JsonParser parser = in.parser();
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      errors.add(new FieldError("/" + STATEMENTS, "must be a list of 1 to %d".formatted(max)));
      parser.skipChildren();
      return;
    }
    int index = 0;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (index == max) {
        throw new Problem(
                ProblemType.NOT_TOGETHER,
                "Too many statements to commit together; nothing was accepted")
            .with("limit", max);
      }
      statement(in, "/" + STATEMENTS + "/" + index);
      index++;
    }
  }

  private void statement(JsonInput in, String pointer) {
    NamedParameters statement = NamedParameters.read(in, catalogue, pointer, errors);
    if (statement != null) {
      add(statement, pointer);
    }
  }

  private void add(NamedParameters statement, String pointer) {
    CatalogueEntry entry = statement.entry();
    if (entry.kind() == CatalogueEntry.Kind.QUERY) {
      throw new Problem(
              ProblemType.NOT_TOGETHER, "Only updates can commit together; nothing was accepted")
          .with("field", pointer);
    }
    DoorGateway itsGateway = gateways.apply(entry);
    if (gateway == null) {
      gateway = itsGateway;
    } else if (gateway != itsGateway) {
      throw new Problem(
              ProblemType.NOT_TOGETHER,
              "Only statements of one gateway, and of one lane of it, can commit together; nothing was accepted")
          .with("field", pointer);
    }
    String key = entry.partitionKey(statement.values());
    if (partitionKey == null) {
      partitionKey = key;
    } else if (key != null && !key.equals(partitionKey)) {
      throw new Problem(
              ProblemType.NOT_TOGETHER,
              "Statements with different partition keys would lose their order; nothing was accepted")
          .with("field", pointer);
    }
    said.add(statement);
  }
}
