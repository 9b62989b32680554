/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.operations.OperatorCommands.Command;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes the paths of commands to services in an OpenAPI document. For one document. */
final class OpenApiCommands {

  private static final Pattern PARAMETER = Pattern.compile("\\{(\\w+)}");

  private final JsonGenerator out;

  OpenApiCommands(JsonGenerator out) {
    this.out = out;
  }

  void write(Command command) {
    out.writeObjectPropertyStart(command.path());
    out.writeObjectPropertyStart("post");
    out.writeStringProperty("operationId", "service." + command.name());
    out.writeStringProperty("summary", command.summary());
    parameters(command.path());
    body(command);
    out.writeObjectPropertyStart("responses");
    response("2XX", "Performed or accepted", "application/json", null);
    response(
        "default",
        "Problem; nothing was done",
        "application/problem+json",
        "#/components/schemas/Problem");
    out.writeEndObject().writeEndObject().writeEndObject();
  }

  private void parameters(String path) {
    out.writeArrayPropertyStart("parameters");
    for (String name : PARAMETER.matcher(path).results().map(MatchResult::group).toList()) {
      out.writeStartObject();
      out.writeStringProperty("name", name.substring(1, name.length() - 1));
      out.writeStringProperty("in", "path");
      out.writeBooleanProperty("required", true);
      out.writeObjectPropertyStart("schema");
      out.writeStringProperty("type", name.equals("{partition}") ? "integer" : "string");
      out.writeEndObject().writeEndObject();
    }
    out.writeEndArray();
  }

  private void body(Command command) {
    out.writeObjectPropertyStart("requestBody");
    out.writeBooleanProperty("required", command.needsReason());
    content("application/json");
    out.writeStringProperty("type", "object");
    out.writeObjectPropertyStart("properties");
    if (command.needsPosition()) {
      property("position", "integer");
    }
    property("reason", "string");
    out.writeEndObject();
    if (command.needsReason()) {
      out.writeArrayPropertyStart("required");
      (command.needsPosition() ? List.of("position", "reason") : List.of("reason"))
          .forEach(out::writeString);
      out.writeEndArray();
    }
    out.writeEndObject().writeEndObject().writeEndObject().writeEndObject();
  }

  private void response(String status, String description, String type, @Nullable String schema) {
    out.writeObjectPropertyStart(status);
    out.writeStringProperty("description", description);
    content(type);
    if (schema == null) {
      out.writeStringProperty("type", "object");
    } else {
      out.writeStringProperty("$ref", schema);
    }
    out.writeEndObject().writeEndObject().writeEndObject().writeEndObject();
  }

  /** Opens the content, media type and schema objects. */
  private void content(String type) {
    out.writeObjectPropertyStart("content");
    out.writeObjectPropertyStart(type);
    out.writeObjectPropertyStart("schema");
  }

  private void property(String name, String type) {
    out.writeObjectPropertyStart(name);
    out.writeStringProperty("type", type);
    out.writeEndObject();
  }
}
