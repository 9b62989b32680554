/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.Row;
import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.gateway.StreamWriter;
import io.forebay.jdbc.gateway.StreamWriter.Group;
import io.forebay.jdbc.gateway.StreamWriter.Line;
import io.forebay.jdbc.http.body.LineReader;
import io.forebay.jdbc.http.body.Utf8Body;
import io.forebay.jdbc.http.limit.Caller;
import io.forebay.machine.Machine;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.web.Problem;
import io.forebay.web.ProblemResolver;
import io.forebay.web.ProblemType;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A request that sends a stream of statements, a line each. Lines are appended in groups of those
 * that have arrived. While the queue is full, no more are read, so the sender waits too. For one
 * thread.
 */
final class StreamRequest {

  /** Reads the JSON text of a line. */
  @FunctionalInterface
  interface Statements {
    /**
     * @throws Problem if the line is not valid, or the caller cannot send the statement in this
     *     stream
     */
    NamedParameters read(byte[] bytes, int start, int end);
  }

  /** The most bytes that the lines of a group may have. */
  private static final int GROUP_BYTES = 256 << 10;

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private final Streams streams;
  private final StreamOptions options;
  private final Statements statements;
  private final DoorCaller caller;
  private final Caller limits;
  private final LineReader in;
  private final StreamAnswer out;
  private final StreamWriter.Lines lines;
  private final List<Line> group = new ArrayList<>();
  private int groupBytes;
  private @Nullable Instant deliverBy;
  private long number;
  private long accepted;
  private long refused;

  /**
   * @param statements reads a line
   * @param limits of the caller, which slow the stream
   */
  StreamRequest(
      Streams streams,
      StreamOptions options,
      Statements statements,
      DoorCaller caller,
      Caller limits,
      LineReader in,
      StreamAnswer out) {
    this.streams = streams;
    this.options = options;
    this.statements = statements;
    this.caller = caller;
    this.limits = limits;
    this.in = in;
    this.out = out;
    lines = options.gateway().streams().lines(caller.name(), options.name(), options.trace());
    number = options.from() - 1;
  }

  /** Reads to the end of the body, or until the stream cannot go on. */
  void run() throws IOException {
    try {
      while (in.next()) {
        if (!in.isBlank()) {
          deliverBy = group.isEmpty() ? options.deliverBy().get() : deliverBy;
          add(number + 1);
        }
        number++;
        boolean full = group.size() == options.group() || groupBytes >= GROUP_BYTES;
        if (full || !in.hasArrived()) {
          send();
        }
      }
      send();
      out.end(number, accepted, refused);
    } catch (Problem e) {
      stop(e);
    } catch (IOException e) {
      if (Problem.ofLateBody(e) == null) {
        throw e;
      }
      stop(
          new Problem(
              ProblemType.REQUEST_TIMEOUT, "No line arrived in time; resume the stream here"));
    }
  }

  /** Ends the stream; the sender may resume it at the first line that was not acknowledged. */
  private void stop(Problem problem) throws IOException {
    long resume = group.isEmpty() ? number + 1 : group.getFirst().number();
    out.stopped(resume, accepted, refused, problem);
  }

  private void add(long line) throws IOException {
    try {
      if (in.isTooLong()) {
        throw new Problem(
                ProblemType.TOO_LARGE, "The line exceeds the limit; nothing of it was accepted")
            .with("limitBytes", options.longestLine());
      }
      if (!Utf8Body.is(in.bytes(), in.start(), in.end())) {
        throw new Problem(
            ProblemType.MALFORMED_JSON, "The line is not UTF-8; nothing of it was accepted");
      }
      NamedParameters statement = statements.read(in.bytes(), in.start(), in.end());
      CatalogueEntry entry = statement.entry();
      group.add(
          new Line(
              line,
              statement.partitionKey(),
              options.gateway().call(entry, statement.values()),
              entry.isQuery() ? Row.class : null,
              deliverBy));
      groupBytes += in.length();
    } catch (Problem e) {
      if (e.type() == ProblemType.STATEMENT_BROKEN) {
        throw e; // it may be accepted later, and the lines behind it must not overtake it
      }
      refuse(line, e);
    }
  }

  private void refuse(long line, Problem problem) throws IOException {
    refused++;
    out.refused(line, problem);
  }

  private void send() throws IOException {
    long deadline = deadline();
    Pauses pauses = new Pauses(LONGEST_PAUSE);
    while (!group.isEmpty()) {
      Group appended = append();
      if (appended == null) {
        deadline = deadline();
        pause(pauses);
        continue;
      }
      if (appended.size() > 0) {
        deadline = deadline();
        pauses = new Pauses(LONGEST_PAUSE);
      }
      QueueRefused reason = appended.refused();
      if (reason == null) {
        continue;
      }
      if (reason.reason() == QueueRefused.Reason.TOO_LARGE) {
        refuse(
            group.removeFirst().number(),
            ProblemResolver.refused(reason, "nothing was accepted; retry later"));
      } else if (!isTemporary(reason) || Machine.nanos() - deadline >= 0) {
        throw ProblemResolver.refused(reason, "resume the stream at this line");
      } else {
        pause(pauses);
      }
    }
    groupBytes = 0;
    out.flush();
  }

  private long deadline() {
    return Machine.nanos() + streams.patience().toNanos();
  }

  /**
   * Appends those lines that the limits of the caller admit, and acknowledges them.
   *
   * @return null if the limits admit none now
   */
  private @Nullable Group append() throws IOException {
    if (streams.isStopping()) {
      throw stopping();
    }
    if (!caller.isStillAdmitted()) {
      throw DoorCaller.noLongerAdmitted("resume the stream at this line with valid ones");
    }
    try (Caller.Admission admission = limits.admitSome(group.size())) {
      if (admission.statements() == 0) {
        return null;
      }
      Group appended = lines.append(group.subList(0, admission.statements()));
      admission.sent(appended.size());
      if (appended.size() > 0) {
        acknowledge(appended);
      }
      return appended;
    }
  }

  private static boolean isTemporary(QueueRefused refused) {
    return refused.reason() != QueueRefused.Reason.FAILED
        && refused.reason() != QueueRefused.Reason.CLOSED;
  }

  private void acknowledge(Group appended) throws IOException {
    String level = options.level();
    boolean isAppendEnough =
        level.equals(StreamOptions.PROCESS) && !options.gateway().level().equals(level);
    if (!isAppendEnough) {
      awaitAccepted(appended);
    }
    if (level.equals(StreamOptions.PERFORMED)) {
      awaitPerformed(appended);
    }
    List<Line> sent = group.subList(0, appended.size());
    accepted += appended.size();
    out.accepted(sent, appended);
    sent.clear();
  }

  private void awaitAccepted(Group appended) {
    try {
      appended.awaitAccepted(streams.patience());
    } catch (TimeoutException | QueueFailed e) {
      throw unknown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unknown();
    }
  }

  private static Problem unknown() {
    return new Problem(
        ProblemType.OUTCOME_UNKNOWN,
        "The lines may have been accepted or not; resume the stream at this line, so that each is"
            + " performed once");
  }

  private static Problem stopping() {
    return new Problem(
        ProblemType.UNAVAILABLE, "The service is stopping; resume the stream at this line later");
  }

  /** Waits as long as it takes: to send the lines again would only make the queue longer. */
  private void awaitPerformed(Group appended) {
    Pauses pauses = new Pauses(LONGEST_PAUSE);
    for (int i = appended.size() - 1; i >= 0; i--) {
      while (!options.gateway().hasAnswered(appended.receipt(i))) {
        pause(pauses);
      }
    }
  }

  private void pause(Pauses pauses) {
    pauses.accept(Machine.nanos() + LONGEST_PAUSE.toNanos());
    if (streams.isStopping() || Thread.currentThread().isInterrupted()) {
      throw stopping();
    }
  }
}
