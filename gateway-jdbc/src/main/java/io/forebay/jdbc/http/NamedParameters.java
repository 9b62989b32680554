/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.JsonInput;
import io.forebay.jdbc.catalogue.ParameterReader;
import io.forebay.jdbc.http.body.Body;
import io.forebay.web.FieldError;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamConstraintsException;

/** A statement of the catalogue with the values of its parameters. */
record NamedParameters(CatalogueEntry entry, @Nullable Object[] values) {

  /** The value of the parameter that is the partition key, or null. */
  @Nullable String partitionKey() {
    return entry.partitionKey(values);
  }

  /**
   * Reads the values of a statement's parameters from a JSON text.
   *
   * @throws Problem if it is not a JSON object that contains them
   */
  static NamedParameters of(CatalogueEntry entry, byte[] json, int start, int end) {
    return new NamedParameters(
        entry,
        parse(json, start, end, (in, errors) -> ParameterReader.read(in, entry, "", errors)));
  }

  /**
   * Reads a JSON text, {@code {"name":…,"params":{…}}}.
   *
   * @param catalogue finds the entry of a name; throws a problem if the caller cannot send it
   * @throws Problem if it is not valid
   */
  static NamedParameters of(
      byte[] json, int start, int end, Function<String, CatalogueEntry> catalogue) {
    return Objects.requireNonNull(
        parse(json, start, end, (in, errors) -> read(in, catalogue, "", errors)));
  }

  /**
   * Reads a JSON text to its end.
   *
   * @param reader reads its value, and adds the errors to the list
   * @throws Problem if it is not JSON, or there are errors
   */
  static <T extends @Nullable Object> T parse(
      byte[] json, int start, int end, BiFunction<JsonInput, List<FieldError>, T> reader) {
    List<FieldError> errors = new ArrayList<>();
    T read;
    try (JsonInput in = new JsonInput(json, start, end)) {
      in.parser().nextToken();
      read = reader.apply(in, errors);
      if (in.parser().nextToken() != null) {
        throw new Problem(
            ProblemType.MALFORMED_JSON,
            "The body continues after the JSON value; nothing was accepted");
      }
    } catch (JacksonException e) {
      throw malformed(e);
    }
    if (!errors.isEmpty()) {
      throw Problem.invalidFields(errors);
    }
    return read;
  }

  private static Problem malformed(JacksonException e) {
    Problem problem =
        new Problem(
            ProblemType.MALFORMED_JSON,
            e instanceof StreamConstraintsException
                ? "The body is nested deeper than %d, or contains a name or number that is too long; nothing was accepted"
                    .formatted(JsonInput.MAX_DEPTH)
                : "The body is not valid JSON; nothing was accepted");
    return e.getLocation() == null
        ? problem
        : problem
            .with("line", e.getLocation().getLineNr())
            .with("column", e.getLocation().getColumnNr());
  }

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
