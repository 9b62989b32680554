/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.web.FieldError;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Reads the parameters of a statement from a JSON object, by their declared types. */
public final class ParameterReader {

  /** The maximum number of reported errors. */
  private static final int MAX_ERRORS = 50;

  private ParameterReader() {}

  /**
   * Reads the parser's current object.
   *
   * @param pointer to the object
   * @param errors receives the errors; if there are any, do not use the values
   * @return a value for each parameter of the statement, in their order
   */
  public static @Nullable Object[] read(
      JsonInput in, CatalogueEntry entry, String pointer, List<FieldError> errors) {
    JsonParser parser = in.parser();
    List<Param> params = entry.params();
    @Nullable Object[] values = new Object[params.size()];
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      errors.add(new FieldError(pointer, "must be an object of named parameters"));
      parser.skipChildren();
      return values;
    }
    boolean[] given = new boolean[values.length];
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      int index = entry.indexOf(name);
      if (index < 0) {
        add(errors, pointer, name, "is not a parameter of this statement");
        parser.skipChildren();
      } else if (given[index]) {
        add(errors, pointer, name, "appears twice");
        parser.skipChildren();
      } else {
        given[index] = true;
        values[index] = value(in, params.get(index), pointer, errors);
      }
    }
    for (int i = 0; i < given.length; i++) {
      if (!given[i] && !params.get(i).nullable()) {
        add(errors, pointer, params.get(i).name(), "is missing");
      }
    }
    return values;
  }

  private static @Nullable Object value(
      JsonInput in, Param param, String pointer, List<FieldError> errors) {
    JsonParser parser = in.parser();
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      if (!param.nullable()) {
        add(errors, pointer, param.name(), "must not be null");
      }
      return null;
    }
    int depth = parser.streamReadContext().getNestingDepth();
    boolean container = parser.currentToken().isStructStart();
    Object value = param.type().read(in);
    if (value == null) {
      add(errors, pointer, param.name(), "must be " + param.type().expected());
      skip(parser, container ? depth - 1 : depth);
    }
    return value;
  }

  /** Skips the rest of a value that was only partly read. */
  private static void skip(JsonParser parser, int outerDepth) {
    parser.skipChildren();
    while (parser.streamReadContext().getNestingDepth() > outerDepth) {
      parser.nextToken();
    }
  }

  private static void add(List<FieldError> errors, String pointer, String name, String message) {
    if (errors.size() < MAX_ERRORS) {
      errors.add(new FieldError(FieldError.pointer(pointer, name), message));
    }
  }
}
