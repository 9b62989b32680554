/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.Param;
import io.forebay.operations.OperatorCommands.Command;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** Writes the OpenAPI 3.1 document of the operations that a caller may use. For one document. */
final class OpenApi {

  private final JsonGenerator out;

  OpenApi(JsonGenerator out) {
    this.out = out;
  }

  /**
   * @param entries the statements that the reader may send
   * @param commands the commands that the reader may give to services
   */
  void write(List<CatalogueEntry> entries, List<Command> commands) {
    object(() -> {
      text("openapi", "3.1.0");
      object(
          "info",
          () -> {
            text("title", "Forebay");
            text("description", "Statements that are accepted durably and performed exactly once.");
            text("version", "v1");
          });
      object(
          "paths",
          () -> {
            entries.forEach(this::statement);
            if (entries.stream().anyMatch(entry -> entry.kind() == CatalogueEntry.Kind.UPDATE)) {
              together();
            }
            result();
            commands.forEach(new OpenApiCommands(out)::write);
          });
      components();
      out.writeArrayPropertyStart("security");
      object(() -> out.writeArrayPropertyStart("token").writeEndArray());
      out.writeEndArray();
    });
  }

  private void statement(CatalogueEntry entry) {
    object(
        DoorAutoConfiguration.STATEMENTS + "/" + entry.name(),
        () ->
            object(
                "post",
                () -> {
                  text("operationId", entry.name());
                  text("summary", "Sends the " + entry.kind().word() + " " + entry.name());
                  sendParameters();
                  body(() -> parameters(entry));
                  sendResponses();
                }));
  }

  private void parameters(CatalogueEntry entry) {
    text("type", "object");
    out.writeBooleanProperty("additionalProperties", false);
    object(
        "properties",
        () ->
            entry
                .params()
                .forEach(param -> {
                  out.writeName(param.name());
                  param.type().describe(out, param.nullable());
                }));
    List<String> required =
        entry.params().stream().filter(param -> !param.nullable()).map(Param::name).toList();
    if (!required.isEmpty()) {
      required(required);
    }
  }

  private void together() {
    object(
        DoorAutoConfiguration.STATEMENTS,
        () ->
            object(
                "post",
                () -> {
                  text("operationId", "sendTogether");
                  text("summary", "Sends several updates of one gateway that commit together");
                  sendParameters();
                  body(() -> reference("#/components/schemas/Together"));
                  sendResponses();
                }));
  }

  private void result() {
    object(
        DoorAutoConfiguration.RESULTS + "/{id}",
        () ->
            object(
                "get",
                () -> {
                  text("operationId", "result");
                  text(
                      "summary",
                      "The result of a statement; its address is in the response that accepted the"
                          + " statement");
                  out.writeArrayPropertyStart("parameters");
                  object(() -> {
                    text("name", "id");
                    text("in", "path");
                    out.writeBooleanProperty("required", true);
                    object(
                        "schema",
                        () -> {
                          text("type", "string");
                          text("format", "uuid");
                        });
                  });
                  parameter("gateway", "query", "string");
                  parameter("partition", "query", "integer");
                  parameter("position", "query", "integer");
                  parameter("wait", "query", "string");
                  out.writeEndArray();
                  object(
                      "responses",
                      () -> {
                        response("200", "The result, or state pending", "Result");
                        response("default", "Problem", "Problem");
                      });
                }));
  }

  private void sendParameters() {
    out.writeArrayPropertyStart("parameters");
    parameter(StatementSender.KEY_HEADER, "header", "string");
    parameter("wait", "query", "string");
    out.writeEndArray();
  }

  private void parameter(String name, String in, String type) {
    object(() -> {
      text("name", name);
      text("in", in);
      object("schema", () -> text("type", type));
    });
  }

  private void body(Runnable schema) {
    object(
        "requestBody",
        () -> {
          out.writeBooleanProperty("required", true);
          object("content", () -> object("application/json", () -> object("schema", schema)));
        });
  }

  private void sendResponses() {
    object(
        "responses",
        () -> {
          response("200", "Performed within the wait time", "Result");
          response("202", "Accepted", "Accepted");
          response("default", "Problem", "Problem");
        });
  }

  private void response(String status, String description, String schema) {
    String type = schema.equals("Problem") ? "application/problem+json" : "application/json";
    object(
        status,
        () -> {
          text("description", description);
          object(
              "content",
              () ->
                  object(
                      type,
                      () -> object("schema", () -> reference("#/components/schemas/" + schema))));
        });
  }

  private void components() {
    object(
        "components",
        () -> {
          object(
              "securitySchemes",
              () ->
                  object(
                      "token",
                      () -> {
                        text("type", "http");
                        text("scheme", "bearer");
                      }));
          object(
              "schemas",
              () -> {
                schema(
                    "Accepted",
                    List.of("id", "gateway", "partition", "position", "level"),
                    () -> {
                      property("id", "string");
                      property("gateway", "string");
                      property("partition", "integer");
                      property("position", "integer");
                      property("level", "string");
                    });
                schema("Result", List.of("id", "state"), this::resultProperties);
                schema(
                    "Problem",
                    List.of("type", "title", "status", "detail", "instance"),
                    () -> {
                      property("type", "string");
                      property("title", "string");
                      property("status", "integer");
                      property("detail", "string");
                      property("instance", "string");
                    });
                schema(
                    "Together",
                    List.of("statements"),
                    () ->
                        array(
                            "statements",
                            () -> {
                              text("type", "object");
                              object(
                                  "properties",
                                  () -> {
                                    property("name", "string");
                                    property("params", "object");
                                  });
                              required(List.of("name"));
                            }));
              });
        });
  }

  private void resultProperties() {
    property("id", "string");
    object(
        "state",
        () -> {
          text("type", "string");
          out.writeArrayPropertyStart("enum");
          out.writeString("pending").writeString("done").writeString("failed");
          out.writeEndArray();
        });
    property("count", "integer");
    array("counts", () -> text("type", "integer"));
    array("columns", () -> text("type", "string"));
    array("rows", () -> text("type", "array"));
    object(
        "error",
        () -> {
          text("type", "object");
          object(
              "properties",
              () -> {
                property("sqlState", "string");
                property("id", "string");
                property("kind", "string");
              });
        });
  }

  private void schema(String name, List<String> required, Runnable properties) {
    object(
        name,
        () -> {
          text("type", "object");
          object("properties", properties);
          required(required);
        });
  }

  private void array(String name, Runnable items) {
    object(
        name,
        () -> {
          text("type", "array");
          object("items", items);
        });
  }

  private void property(String name, String type) {
    object(name, () -> text("type", type));
  }

  private void required(List<String> names) {
    out.writeArrayPropertyStart("required");
    names.forEach(out::writeString);
    out.writeEndArray();
  }

  private void reference(String schema) {
    text("$ref", schema);
  }

  private void text(String name, String value) {
    out.writeStringProperty(name, value);
  }

  private void object(String name, Runnable members) {
    out.writeName(name);
    object(members);
  }

  private void object(Runnable members) {
    out.writeStartObject();
    members.run();
    out.writeEndObject();
  }
}
