/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Sends the lines of a buffer until it is closed, and removes those that are acknowledged.
 *
 * <p>It sends the lines that are there in one request, and those that came meanwhile in the next. A
 * single endless request would not do: {@code HttpClient} speaks HTTP/1.1 in one direction at a
 * time. It delivers no response before the body of the request is complete (tried with JDK 25), so
 * acknowledgements would not arrive while the stream is open. Short requests also hold no place of
 * {@code forebay.door.max-streams} while there is nothing to send, and do not time out then.
 *
 * <p>For the same reason a body is small: at {@value #MOST_BYTES} bytes it fits into the buffers of
 * the sockets. The door stops reading while its answers are not read; with a longer body both sides
 * could wait for each other. After a failed attempt the next has half as many lines, so that a door
 * that accepts only few lines within the time-out of a request makes progress.
 */
final class StreamSender implements Runnable {

  private static final int MOST_BYTES = 64 << 10;
  private static final int MOST_LINES = 1_000;

  private final DoorHttp http;
  private final URI address;
  private final StreamOptions options;
  private final LineBuffer buffer;
  private int mostLines = MOST_LINES;

  /**
   * @param address where the number of the first line is missing at the end
   */
  StreamSender(DoorHttp http, URI address, StreamOptions options, LineBuffer buffer) {
    this.http = http;
    this.address = address;
    this.options = options;
    this.buffer = buffer;
  }

  @Override
  public void run() {
    try {
      LineBuffer.Batch batch;
      while ((batch = buffer.next(mostLines, MOST_BYTES)) != null) {
        BackOff backOff = new BackOff(options.retryFor());
        while (batch != null && !send(batch, backOff)) {
          mostLines = Math.max(1, mostLines / 2);
          batch = buffer.next(mostLines, MOST_BYTES);
        }
        mostLines = Math.min(MOST_LINES, 2 * mostLines);
      }
    } catch (InterruptedException e) {
      buffer.fail(new IllegalStateException("The stream was closed before its end", e));
    } catch (RuntimeException e) {
      buffer.fail(e);
    }
  }

  /** Returns whether all lines were answered; if not, after a pause. */
  private boolean send(LineBuffer.Batch batch, BackOff backOff) throws InterruptedException {
    long before = buffer.acknowledged();
    Answers answers = new Answers();
    RuntimeException failure;
    Duration retryAfter = null;
    try {
      HttpResponse<String> response =
          http.once(
              URI.create(address.toString() + batch.from()),
              Duration.ZERO,
              request ->
                  request
                      .header("Content-Type", "application/x-ndjson")
                      .POST(BodyPublishers.ofByteArray(batch.bytes())),
              answers.handler());
      DoorProblem problem;
      if (response.statusCode() == 200) {
        problem = read(answers);
        if (problem == null) {
          return true;
        }
      } else {
        problem = DoorHttp.problem(response);
      }
      if (!problem.isTemporary()) {
        throw problem;
      }
      failure = problem;
      retryAfter = problem.retryAfter();
    } catch (IOException e) {
      http.mustBeTrusted(e);
      failure = http.unavailable(e);
      try {
        if (read(answers) == null) {
          return true; // only the end of the response is missing
        }
      } catch (IOException _) {
        // what was acknowledged before the connection broke is removed from the buffer
      }
    }
    if (http.isClosed()) {
      throw failure;
    }
    if (buffer.acknowledged() > before) {
      backOff.reset();
    }
    backOff.pause(retryAfter, failure);
    return false;
  }

  /**
   * Reads what the door answered.
   *
   * @return null if it is complete; otherwise why the door stopped
   * @throws IOException if the last document is missing
   */
  private @Nullable DoorProblem read(Answers answers) throws IOException {
    for (String line : answers.lines()) {
      JsonNode answer;
      try {
        answer = Json.read(line);
      } catch (JacksonException e) {
        throw new IOException("the door's answer is not complete", e);
      }
      if (answer.has("complete")) {
        if (answer.get("complete").asBoolean()) {
          buffer.acknowledge(answer.path("last").asLong());
          return null;
        }
        buffer.acknowledge(answer.path("resume").asLong() - 1);
        return DoorProblem.of(answer.path("problem"));
      }
      if (answer.has("problem")) {
        long number = answer.path("line").asLong();
        if (buffer.refuse(number)) {
          options.refused().accept(number, DoorProblem.of(answer.get("problem")));
        }
      } else {
        buffer.acknowledge(answer.path("to").asLong());
      }
    }
    throw new IOException("the door's answer is not complete");
  }

  /** The lines of an answer that have arrived, also if the connection breaks. Thread-safe. */
  private static final class Answers implements Flow.Subscriber<String> {

    private final List<String> lines = new ArrayList<>();

    synchronized List<String> lines() {
      return List.copyOf(lines);
    }

    /** The body of a response is empty if its lines come here. */
    BodyHandler<String> handler() {
      return info ->
          info.statusCode() == 200
              ? BodySubscribers.fromLineSubscriber(this, _ -> "", UTF_8, null)
              : BodySubscribers.ofString(UTF_8);
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public synchronized void onNext(String line) {
      lines.add(line);
    }

    @Override
    public void onError(Throwable broken) {}

    @Override
    public void onComplete() {}
  }
}
