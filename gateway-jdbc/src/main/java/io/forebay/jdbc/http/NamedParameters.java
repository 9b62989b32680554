/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.FieldError;
import io.forebay.jdbc.catalogue.JsonInput;
import io.forebay.jdbc.catalogue.ParameterReader;
import io.forebay.jdbc.http.body.Body;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** A statement of the catalogue with the values of its parameters. */
record NamedParameters(CatalogueEntry entry, @Nullable Object[] values) {

  /**
   * Reads the parser's current value, {@code {"name":…,"params":{…}}}.
   *
   * @param catalogue finds the entry of a name; throws a problem if the caller cannot send it
   * @param pointer to the value
   * @param errors receives the errors; if there are any, do not use the values
   * @return null if it names no statement
   */
  static @Nullable NamedParameters read(
      JsonInput in,
      Function<String, CatalogueEntry> catalogue,
      String pointer,
      List<FieldError> errors) {
    JsonParser parser = in.parser();
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      errors.add(new FieldError(pointer, "must be an object with name and params"));
      parser.skipChildren();
      return null;
    }
    CatalogueEntry entry = null;
    JsonInput params = null;
    @Nullable Object[] values = null;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String member = parser.currentName();
      JsonToken token = parser.nextToken();
      if (member.equals("name") && token == JsonToken.VALUE_STRING && entry == null) {
        entry = catalogue.apply(parser.getString());
      } else if (member.equals("params") && params == null && values == null) {
        if (entry != null) {
          values = ParameterReader.read(in, entry, pointer + "/params", errors);
        } else {
          params = in.again();
        }
      } else {
        errors.add(
            new FieldError(
                FieldError.pointer(pointer, member),
                "is unknown, appears twice, or is not a text"));
        parser.skipChildren();
      }
    }
    if (entry == null) {
      errors.add(new FieldError(pointer + "/name", "is missing"));
      return null;
    }
    return new NamedParameters(
        entry, values == null ? late(params, entry, pointer, errors) : values);
  }

  /** Reads the parameters that came before the name, if any. */
  private static @Nullable Object[] late(
      @Nullable JsonInput params, CatalogueEntry entry, String pointer, List<FieldError> errors) {
    try (JsonInput in = params == null ? new JsonInput(Body.EMPTY_OBJECT) : params) {
      in.parser().nextToken();
      return ParameterReader.read(in, entry, pointer + "/params", errors);
    }
  }
}
