/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.Param;
import io.forebay.jdbc.sql.StatementKind;
import io.forebay.operations.OperatorCommands.Command;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The OpenAPI 3.1 document of the operations that a caller may use. What does not depend on the
 * caller is in {@code openapi.json}. Thread-safe.
 */
final class OpenApi {

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
    if (entries.stream().noneMatch(entry -> entry.kind() == StatementKind.UPDATE)) {
      paths.remove(StatementsController.PATH);
    }
    commands.forEach(it -> paths.set(it.path(), JSON.readTree(it.description())));
    return JSON.writeValueAsBytes(document);
  }

  /** Sending one statement differs from sending several only in its name and its body. */
  private static ObjectNode statement(CatalogueEntry entry, ObjectNode path) {
    ObjectNode post = (ObjectNode) path.get("post");
    post.put("operationId", entry.name());
    post.put("summary", "Sends the " + entry.kind().word() + " " + entry.name());
    ObjectNode content = post.putObject("requestBody").put("required", true).putObject("content");
    ObjectNode schema =
        content
            .putObject("application/json")
            .putObject("schema")
            .put("type", "object")
            .put("additionalProperties", false);
    ObjectNode properties = schema.putObject("properties");
    entry
        .params()
        .forEach(param -> properties.set(param.name(), param.type().schema(param.nullable())));
    List<String> required =
        entry.params().stream().filter(param -> !param.nullable()).map(Param::name).toList();
    if (!required.isEmpty()) {
      required.forEach(schema.putArray("required")::add);
    }
    content
        .putObject(MediaType.APPLICATION_NDJSON_VALUE)
        .putObject("schema")
        .put("type", "string")
        .put(
            "description", "A stream: such an object per line; the answer has a document per line");
    return path;
  }
}
