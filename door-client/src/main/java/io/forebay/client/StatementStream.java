/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A stream of statements to a door. Lines are numbered in the order of the calls of {@link #send}.
 *
 * <pre>{@code
 * StatementStream orders = door.stream("orders-nov-26", "orders.place", options);
 * for (Order order : all) {
 *   orders.send(Map.of("id", order.id(), "item", order.item()));
 * }
 * StreamEnd end = orders.finish();
 * }</pre>
 *
 * <p>Lines are sent in groups, and kept until the door has acknowledged their group. If the
 * connection breaks, or the door stops or is full, the stream waits and sends again from the first
 * unacknowledged line. Each line is performed once, also if it is sent again. After an attempt
 * without success the next group is half as large, so that a door that accepts only few lines
 * within the time-out of a request makes progress.
 *
 * <p>To resume after a crash of your own process, store {@link #acknowledged} from time to time,
 * and open the stream again with the same name, and with {@link StreamOptions#from} one higher. To
 * begin further back is safe, as long as each number means the same line.
 *
 * <p>For one thread. {@link #send} and {@link #finish} throw {@link DoorProblem}, {@link
 * DoorUnavailable}, or what the listener of refused lines threw. The line that was given to {@link
 * #send} is kept then, too: call {@link #finish} again, and do not send the same line once more.
 */
public final class StatementStream {

  private static final int MOST_LINES = 1_000;
  private static final int MOST_BYTES = 64 << 10;

  private final DoorHttp http;
  private final URI address;
  private final StreamOptions options;
  private final ArrayDeque<byte[]> lines = new ArrayDeque<>();
  private final Set<Long> refusedHere = new HashSet<>();
  private int bytes;
  private int groupLines = MOST_LINES;
  private long acknowledged;
  private long accepted;
  private long refused;

  /**
   * @param address of the stream, without the number of the first line at its end
   */
  StatementStream(DoorHttp http, URI address, StreamOptions options) {
    this.http = http;
    this.address = address;
    this.options = options;
    acknowledged = options.from() - 1;
  }

  /**
   * Adds a line. Sends all lines when there are 1,000 or 64 KiB of them, and then returns when they
   * are acknowledged.
   *
   * @return the number of the line
   */
  public long send(Map<String, ? extends @Nullable Object> params) throws InterruptedException {
    byte[] line = JsonMapper.shared().writeValueAsBytes(params); // has no line break
    lines.add(line);
    bytes += line.length;
    long number = acknowledged + lines.size();
    if (lines.size() >= MOST_LINES || bytes >= MOST_BYTES) {
      finish();
    }
    return number;
  }

  /** All lines up to this one were accepted or refused; one less than the first line at first. */
  public long acknowledged() {
    return acknowledged;
  }

  /** Sends the lines that were not sent yet, until all are acknowledged. More lines may follow. */
  public StreamEnd finish() throws InterruptedException {
    BackOff attempts = new BackOff(options.retryFor());
    while (!lines.isEmpty()) {
      long before = acknowledged;
      URI first = URI.create(address.toString() + (acknowledged + 1));
      String answer =
          http.retrying(
                  attempts,
                  first,
                  Duration.ZERO,
                  request ->
                      request
                          .header("Content-Type", "application/x-ndjson")
                          .POST(BodyPublishers.ofByteArray(group())))
              .body();
      DoorProblem stopped = read(answer);
      if (acknowledged > before) {
        attempts.reset();
      }
      if (stopped == null) {
        groupLines = Math.min(MOST_LINES, 4 * groupLines);
      } else if (stopped.isTemporary()) {
        attempts.pause(stopped.retryAfter(), stopped);
      } else {
        throw stopped;
      }
    }
    return new StreamEnd(acknowledged, accepted, refused);
  }

  /** The first lines; fewer at the next attempt. A refused line is blank: the door counts it. */
  private byte[] group() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    long number = acknowledged;
    for (byte[] line : lines) {
      if (++number > acknowledged + groupLines) {
        break;
      }
      if (!refusedHere.contains(number)) {
        out.writeBytes(line);
      }
      out.write('\n');
    }
    groupLines = Math.max(1, groupLines / 2);
    return out.toByteArray();
  }

  /**
   * Reads what the door answered.
   *
   * @return why the door stopped, or that its answer is not complete; null if it answered all lines
   */
  private @Nullable DoorProblem read(String answer) {
    try {
      for (String document : answer.split("\n")) {
        JsonNode next = JsonMapper.shared().readTree(document);
        if (next.has("line")) {
          long number = next.path("line").asLong();
          if (number > acknowledged && refusedHere.add(number)) {
            options.refused().accept(number, DoorProblem.of(next.path("problem")));
          }
        } else if (next.has("to")) {
          acknowledge(next.path("to").asLong());
        } else if (next.has("resume")) {
          acknowledge(next.path("resume").asLong() - 1);
          return DoorProblem.of(next.path("problem"));
        } else if (next.has("last")) {
          acknowledge(next.path("last").asLong());
          return null;
        }
      }
    } catch (JacksonException _) {
      // the last document is cut
    }
    return DoorProblem.of(503, null, "{\"title\": \"The answer of the door is not complete\"}");
  }

  private void acknowledge(long to) {
    while (acknowledged < to && !lines.isEmpty()) {
      acknowledged++;
      bytes -= lines.remove().length;
      if (refusedHere.remove(acknowledged)) {
        refused++;
      } else {
        accepted++;
      }
    }
  }
}
