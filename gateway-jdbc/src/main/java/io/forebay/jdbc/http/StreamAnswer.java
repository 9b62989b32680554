/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.gateway.StreamWriter.Group;
import io.forebay.jdbc.gateway.StreamWriter.Line;
import io.forebay.problem.HttpProblem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;

/** Answers a stream: a JSON document per line, or an array of them. For one thread. */
final class StreamAnswer {

  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final DoorGateway gateway;
  private final StreamOptions options;
  private final boolean isArray;
  private boolean isBegun;

  StreamAnswer(
      HttpServletRequest request,
      HttpServletResponse response,
      DoorGateway gateway,
      StreamOptions options,
      boolean isArray) {
    this.request = request;
    this.gateway = gateway;
    this.response = response;
    this.options = options;
    this.isArray = isArray;
  }

  /** Lines were accepted, the first ones of those. */
  void accepted(List<Line> lines, Group group) throws IOException {
    if (!options.eachLine()) {
      line(out -> writeGroup(out, lines, group));
      return;
    }
    for (int i = 0; i < group.size(); i++) {
      Receipt receipt = group.receipt(i);
      long number = lines.get(i).number();
      String result = StatementSender.location(request, gateway, receipt, group.key(i));
      line(out -> {
        out.writeNumberProperty("line", number);
        out.writeStringProperty("id", receipt.id().toString());
        out.writeNumberProperty("partition", receipt.partition());
        out.writeNumberProperty("position", receipt.position());
        out.writeStringProperty("result", result);
      });
    }
  }

  private void writeGroup(JsonGenerator out, List<Line> lines, Group group) {
    out.writeNumberProperty("from", lines.getFirst().number());
    out.writeNumberProperty("to", lines.get(group.size() - 1).number());
    out.writeNumberProperty("accepted", group.size());
    out.writeStringProperty("level", options.level());
    out.writeArrayPropertyStart("positions");
    for (Group.Range range : group.ranges()) {
      out.writeStartObject();
      out.writeNumberProperty("partition", range.partition());
      out.writeNumberProperty("first", range.first());
      out.writeNumberProperty("last", range.last());
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  /** A line was not accepted; the lines around it are not affected. */
  void refused(long number, HttpProblem problem) throws IOException {
    line(out -> {
      out.writeNumberProperty("line", number);
      JsonResponse.writeProblem(out, request, problem);
    });
  }

  /** The last line: all was read. */
  void end(long last, long accepted, long refused) throws IOException {
    line(out -> {
      out.writeBooleanProperty("complete", true);
      out.writeNumberProperty("last", last);
      out.writeNumberProperty("accepted", accepted);
      out.writeNumberProperty("refused", refused);
    });
    finish();
  }

  /**
   * The last line: the stream ended early.
   *
   * @param resume the first line that is not acknowledged
   */
  void stopped(long resume, long accepted, long refused, HttpProblem problem) throws IOException {
    line(out -> {
      out.writeBooleanProperty("complete", false);
      out.writeNumberProperty("resume", resume);
      out.writeNumberProperty("accepted", accepted);
      out.writeNumberProperty("refused", refused);
      JsonResponse.writeProblem(out, request, problem);
    });
    finish();
  }

  private void finish() throws IOException {
    if (isArray) {
      response.getOutputStream().write(']');
    }
    flush();
  }

  private void line(Consumer<JsonGenerator> members) throws IOException {
    if (isArray) {
      response.getOutputStream().write(isBegun ? ',' : '[');
      isBegun = true;
    }
    JsonResponse.writeLine(response, members);
  }

  void flush() throws IOException {
    response.flushBuffer();
  }
}
