/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.ByteArrayBuilder;

/** Writes responses. */
final class JsonResponse {

  private static final JsonFactory FACTORY = new JsonFactory();

  private JsonResponse() {}

  static void write(HttpServletResponse response, int status, Consumer<JsonGenerator> document)
      throws IOException {
    write(response, status, "application/json", document);
  }

  /** Writes a document with status 200. */
  static void write(HttpServletResponse response, byte[] document) throws IOException {
    write(response, 200, "application/json", document);
  }

  private static void write(
      HttpServletResponse response,
      int status,
      String contentType,
      Consumer<JsonGenerator> document)
      throws IOException {
    write(response, status, contentType, bytes(document));
  }

  /**
   * Writes a result, whose bytes are counted until its client has taken them.
   *
   * @return false if the budget is exhausted; then nothing was written
   */
  static boolean writeWithin(ByteBudget budget, HttpServletResponse response, ResultDocument result)
      throws IOException {
    byte[] bytes = bytes(result::write);
    try (ByteBudget.Share share = budget.take(bytes.length)) {
      if (share != null) {
        write(response, bytes);
      }
      return share != null;
    }
  }

  /** Writes an object and a newline to a response of several lines. */
  static void writeLine(HttpServletResponse response, Consumer<JsonGenerator> members)
      throws IOException {
    response
        .getOutputStream()
        .write(
            bytes(out -> {
              out.writeStartObject();
              members.accept(out);
              out.writeEndObject();
              out.writeRaw('\n');
            }));
  }

  /** Writes the member {@code problem}. */
  static void writeProblem(JsonGenerator out, HttpServletRequest request, Problem problem) {
    out.writeName("problem");
    out.writeRawValue(new String(problem.json(request.getRequestURI()), UTF_8));
  }

  static byte[] bytes(Consumer<JsonGenerator> document) {
    try (ByteArrayBuilder bytes = new ByteArrayBuilder()) {
      try (JsonGenerator out = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
        document.accept(out);
      }
      return bytes.getClearAndRelease();
    }
  }

  private static void write(
      HttpServletResponse response, int status, String contentType, byte[] bytes)
      throws IOException {
    response.setStatus(status);
    response.setContentType(contentType);
    response.setHeader("Cache-Control", "no-store");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }
}
