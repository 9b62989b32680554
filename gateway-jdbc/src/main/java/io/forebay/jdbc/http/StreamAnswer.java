/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.gateway.StreamWriter.Group;
import io.forebay.jdbc.gateway.StreamWriter.Line;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;

/** Answers a stream, a JSON document per line. For one thread. */
final class StreamAnswer {

  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final StreamOptions options;

  StreamAnswer(HttpServletRequest request, HttpServletResponse response, StreamOptions options) {
    this.request = request;
    this.response = response;
    this.options = options;
  }

  /** Lines were accepted, the first ones of those. */
  void accepted(List<Line> lines, Group group) throws IOException {
    line(out -> writeGroup(out, lines, group));
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
  void refused(long number, Problem problem) throws IOException {
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
    flush();
  }

  /**
   * The last line: the stream ended early.
   *
   * @param resume the first line that is not acknowledged
   */
  void stopped(long resume, long accepted, long refused, Problem problem) throws IOException {
    line(out -> {
      out.writeBooleanProperty("complete", false);
      out.writeNumberProperty("resume", resume);
      out.writeNumberProperty("accepted", accepted);
      out.writeNumberProperty("refused", refused);
      JsonResponse.writeProblem(out, request, problem);
    });
    flush();
  }

  private void line(Consumer<JsonGenerator> members) throws IOException {
    JsonResponse.writeLine(response, members);
  }

  void flush() throws IOException {
    response.flushBuffer();
  }
}
