/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.statement.StreamLine;
import io.forebay.trace.TraceParent;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the sender of a stream asks for in the query.
 *
 * @param gateway the gateway or lane that performs the lines
 * @param name of the stream; generated if the sender gives none
 * @param from the number of the first line
 * @param group the most lines that are acknowledged together
 * @param level what an acknowledged line has reached
 * @param deliverBy returns the time after which lines that are accepted now are not performed, or
 *     null; throws a problem if it is over
 * @param longestLine in bytes
 * @param trace of the request, or null
 */
record StreamOptions(
    DoorGateway gateway,
    String name,
    long from,
    int group,
    String level,
    Supplier<@Nullable Instant> deliverBy,
    int longestLine,
    @Nullable TraceParent trace) {

  static final String PROCESS = "process";
  static final String PERFORMED = "performed";

  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9._:-]{1," + StreamLine.MAX_NAME + "}");
  private static final int LARGEST_GROUP = 10_000;
  private static final int USUAL_GROUP = 1_000;

  /**
   * @throws Problem if the query is not valid
   */
  static StreamOptions of(HttpServletRequest request, DoorGateway gateway, int longestLine) {
    String stream = Query.parameter(request, "stream");
    if (stream != null) {
      mustBeName(stream);
    }
    if (request.getHeader(StatementSender.KEY_HEADER) != null) {
      throw invalid("a stream has no Idempotency-Key; name it with stream");
    }
    Query.deadline(request, StatementSender.DELIVER_BY); // refused before a line is read
    return new StreamOptions(
        gateway,
        stream == null ? UUID.randomUUID().toString() : stream,
        Query.number(request, "from", 1, Long.MAX_VALUE / 2, 1),
        (int) Query.number(request, "group", 1, LARGEST_GROUP, USUAL_GROUP),
        level(request, gateway),
        () -> Query.deadline(request, StatementSender.DELIVER_BY),
        longestLine,
        TraceParent.parse(request.getHeader(TraceParent.NAME)));
  }

  /**
   * @throws Problem if no stream can have this name
   */
  static void mustBeName(String stream) {
    if (!NAME.matcher(stream).matches()) {
      throw invalid(
          "stream must have 1 to %d of the characters A-Z a-z 0-9 . _ : -"
              .formatted(StreamLine.MAX_NAME));
    }
  }

  private static String level(HttpServletRequest request, DoorGateway gateway) {
    List<String> allowed = new ArrayList<>(gateway.levels());
    allowed.add(PERFORMED);
    String level = Query.parameter(request, "level");
    if (level != null && !allowed.contains(level)) {
      throw invalid("level must be one of " + String.join(", ", allowed));
    }
    return level == null ? gateway.level() : level;
  }

  private static Problem invalid(String detail) {
    return Problem.invalid(detail + "; nothing was accepted");
  }
}
