/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.Param;
import io.forebay.operations.OperatorCommands.Command;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The OpenAPI 3.1 document of the operations that a caller may use. What does not depend on the
 * caller is in {@code openapi.json}. Thread-safe.
 */
final class OpenApi {

  private static final Pattern PARAMETER = Pattern.compile("\\{(\\w+)}");
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final ObjectNode FIXED = fixed();

  private OpenApi() {}

  private static ObjectNode fixed() {
    try (InputStream file = OpenApi.class.getResourceAsStream("openapi.json")) {
      return (ObjectNode) JSON.readTree(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * @param entries the statements that the reader may send
   * @param commands the commands that the reader may give to services
   */
  static byte[] document(List<CatalogueEntry> entries, List<Command> commands) {
    ObjectNode document = FIXED.deepCopy();
    ObjectNode paths = (ObjectNode) document.get("paths");
    ObjectNode together = (ObjectNode) paths.get(StatementsController.PATH);
    for (CatalogueEntry entry : entries) {
      paths.set(
          StatementsController.PATH + "/" + entry.name(), statement(entry, together.deepCopy()));
    }
    if (entries.stream().noneMatch(entry -> entry.kind() == CatalogueEntry.Kind.UPDATE)) {
      paths.remove(StatementsController.PATH);
    }
    commands.forEach(command -> paths.putObject(command.path()).set("post", command(command)));
    return JSON.writeValueAsBytes(document);
  }

  /** Sending one statement differs from sending several only in its name and its body. */
  private static ObjectNode statement(CatalogueEntry entry, ObjectNode path) {
    ObjectNode post = (ObjectNode) path.get("post");
    post.put("operationId", entry.name());
    post.put("summary", "Sends the " + entry.kind().word() + " " + entry.name());
    ObjectNode schema = body(post, true).put("type", "object").put("additionalProperties", false);
    ObjectNode properties = schema.putObject("properties");
    entry
        .params()
        .forEach(param -> properties.set(param.name(), param.type().schema(param.nullable())));
    List<String> required =
        entry.params().stream().filter(param -> !param.nullable()).map(Param::name).toList();
    if (!required.isEmpty()) {
      required.forEach(schema.putArray("required")::add);
    }
    ObjectNode content = (ObjectNode) post.get("requestBody").get("content");
    content
        .putObject(MediaType.APPLICATION_NDJSON_VALUE)
        .putObject("schema")
        .put("type", "string")
        .put(
            "description", "A stream: such an object per line; the answer has a document per line");
    return path;
  }

  private static ObjectNode command(Command command) {
    ObjectNode post = JSON.createObjectNode();
    post.put("operationId", "service." + command.name());
    post.put("summary", command.summary());
    ArrayNode parameters = post.putArray("parameters");
    for (MatchResult found : PARAMETER.matcher(command.path()).results().toList()) {
      String name = found.group(1);
      parameters
          .addObject()
          .put("name", name)
          .put("in", "path")
          .put("required", true)
          .putObject("schema")
          .put("type", name.equals("partition") ? "integer" : "string");
    }
    ObjectNode schema = body(post, command.needsReason()).put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    if (command.needsPosition()) {
      properties.putObject("position").put("type", "integer");
    }
    properties.putObject("reason").put("type", "string");
    if (command.needsReason()) {
      properties.propertyNames().forEach(schema.putArray("required")::add);
    }
    if (command.mayReplace()) {
      properties.putObject("replaces").put("type", "string").put("format", "date-time");
    }
    if (command.mayEnd()) {
      properties
          .putObject("until")
          .put("type", "string")
          .put("description", "An instant, or a duration from now such as 30m or PT30M");
    }
    ObjectNode responses = post.putObject("responses");
    schema(responses.putObject("2XX").put("description", "Performed or accepted"))
        .put("type", "object");
    responses.putObject("default").put("$ref", "#/components/responses/Problem");
    return post;
  }

  /** Adds a body and returns its schema, which is empty. */
  private static ObjectNode body(ObjectNode operation, boolean required) {
    return schema(operation.putObject("requestBody").put("required", required));
  }

  private static ObjectNode schema(ObjectNode parent) {
    return parent.putObject("content").putObject("application/json").putObject("schema");
  }
}
