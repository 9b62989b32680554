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
import tools.jackson.databind.util.RawValue;

/** Answers a stream, a JSON document per line. For one thread. */
record StreamAnswer(
    HttpServletRequest request, HttpServletResponse response, StreamOptions options) {

  private record Accepted(
      long from, long to, int accepted, String level, List<Group.Range> positions) {}

  private record Refused(long line, RawValue problem) {}

  private record Complete(boolean complete, long last, long accepted, long refused) {}

  private record Incomplete(
      boolean complete, long resume, long accepted, long refused, RawValue problem) {}

  /** These lines were accepted. */
  void accepted(List<Line> lines, Group group) throws IOException {
    JsonDocuments.writeLine(
        response,
        new Accepted(
            lines.getFirst().number(),
            lines.getLast().number(),
            group.size(),
            options.level(),
            group.ranges()));
  }

  /** A line was not accepted; the lines around it are not affected. */
  void refused(long number, Problem problem) throws IOException {
    JsonDocuments.writeLine(response, new Refused(number, JsonDocuments.problem(problem, request)));
  }

  /** The last line: all was read. */
  void end(long last, long accepted, long refused) throws IOException {
    JsonDocuments.writeLine(response, new Complete(true, last, accepted, refused));
    flush();
  }

  /**
   * The last line: the stream ended early.
   *
   * @param resume the first line that is not acknowledged
   */
  void stopped(long resume, long accepted, long refused, Problem problem) throws IOException {
    JsonDocuments.writeLine(
        response,
        new Incomplete(false, resume, accepted, refused, JsonDocuments.problem(problem, request)));
    flush();
  }

  void flush() throws IOException {
    response.flushBuffer();
  }
}
