/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The declared type of a parameter.
 *
 * @param list whether the parameter accepts a list of such values
 */
public record ParamType(ScalarType scalar, boolean list) {

  static final String ALLOWED =
      Arrays.stream(ScalarType.values()).map(ScalarType::word).collect(Collectors.joining(", "))
          + ", list of one of these";

  private static final String LIST_OF = "list of ";
  private static final int MAX_ELEMENTS = 10_000;

  /** Stands for a type that a catalogue does not name, until that is reported. */
  static final ParamType UNKNOWN = new ParamType(ScalarType.TEXT, false);

  /** Returns the type of this name in a catalogue; null if there is none. */
  static @Nullable ParamType of(String text) {
    boolean list = text.startsWith(LIST_OF);
    String word = list ? text.substring(LIST_OF.length()) : text;
    return Arrays.stream(ScalarType.values())
        .filter(scalar -> scalar.word().equals(word))
        .findFirst()
        .map(scalar -> new ParamType(scalar, list))
        .orElse(null);
  }

  /** Its name in the catalogue. */
  public String word() {
    return (list ? LIST_OF : "") + scalar.word();
  }

  boolean mayBeKey() {
    return !list && scalar.mayBeKey();
  }

  /** Whether a value of a message has this type. */
  boolean takes(Object value) {
    return list
        ? value instanceof List<?> values && values.stream().allMatch(scalar::takes)
        : scalar.takes(value);
  }

  /** The expected value, in words. */
  String expected() {
    return list
        ? "a list of at most %d values, each %s".formatted(MAX_ELEMENTS, scalar.expected())
        : scalar.expected();
  }

  /** Returns the parser's current value as an argument of a statement; null if it is another. */
  @Nullable Object read(JsonInput in) {
    return list ? readList(in) : scalar.read(in);
  }

  private @Nullable List<Object> readList(JsonInput in) {
    if (in.parser().currentToken() != JsonToken.START_ARRAY) {
      return null;
    }
    List<Object> values = new ArrayList<>();
    while (in.parser().nextToken() != JsonToken.END_ARRAY) {
      Object value =
          values.size() == MAX_ELEMENTS || in.parser().currentToken() == JsonToken.VALUE_NULL
              ? null
              : scalar.read(in);
      if (value == null) {
        return null;
      }
      values.add(value);
    }
    return values;
  }

  /** Its JSON schema, with a reference to that of the scalar type in {@code openapi.json}. */
  public ObjectNode schema(boolean nullable) {
    JsonNodeFactory json = JsonNodeFactory.instance;
    ObjectNode schema = json.objectNode().put("$ref", "#/components/schemas/" + scalar.word());
    if (list) {
      ObjectNode items = schema;
      schema = json.objectNode().put("type", "array").put("maxItems", MAX_ELEMENTS);
      schema.set("items", items);
    }
    if (nullable) {
      ObjectNode value = schema;
      schema = json.objectNode();
      schema.putArray("anyOf").add(value).addObject().put("type", "null");
    }
    return schema;
  }
}
