/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.client.DoorClient;
import io.forebay.client.DoorOptions;
import io.forebay.client.DoorUnavailable;
import io.forebay.client.ResultPage;
import io.forebay.client.ResultQuery;
import io.forebay.client.StatementStream;
import io.forebay.client.StreamOptions;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A program that sends a stream and reads all results with {@link DoorClient}. It dies with the
 * service: each run knows only what it would have stored, the last acknowledged line and the next
 * position.
 */
final class ClientProgram {

  private static final Duration RETRY_FOR = Duration.ofSeconds(1);

  private final String stream;
  private final List<Long> positions = new ArrayList<>();
  private String position = ResultQuery.START;
  private volatile long acknowledged;

  ClientProgram(String stream) {
    this.stream = stream;
  }

  /** All lines up to this one are acknowledged. */
  long acknowledged() {
    return acknowledged;
  }

  /** The positions of the statements whose results were read, in the order in which they came. */
  synchronized List<Long> positions() {
    return List.copyOf(positions);
  }

  private static DoorClient client(String address, String token) {
    return DoorClient.to(
        URI.create("http://" + address),
        DoorOptions.defaults().withToken(token).withRetryFor(RETRY_FOR));
  }

  /**
   * Sends until the service is down, or up to a line.
   *
   * @return whether the last line is acknowledged
   */
  boolean send(String address, String token, long last) throws InterruptedException {
    StreamOptions options =
        StreamOptions.defaults().withFrom(acknowledged + 1).withRetryFor(RETRY_FOR);
    try (DoorClient door = client(address, token);
        StatementStream lines = door.stream(stream, "lines.add", options)) {
      for (long number = options.from(); number <= last; number++) {
        lines.send(Map.of("stream", stream, "number", number));
        acknowledged = lines.acknowledged();
      }
      acknowledged = lines.finish().last();
      return acknowledged == last;
    } catch (DoorUnavailable e) {
      return false; // the service is down
    }
  }

  /** Reads until the service is down, or as many results as wanted are there. */
  void read(String address, String token, long wanted) throws InterruptedException {
    try (DoorClient door = client(address, token)) {
      while (positions().size() < wanted) {
        ResultPage page = door.results(ResultQuery.from(position), Duration.ofSeconds(10));
        store(page);
      }
    } catch (DoorUnavailable e) {
      // the service is down
    }
  }

  /** A program stores the position together with what it does with the results. */
  private synchronized void store(ResultPage page) {
    position = page.next();
    page.results().forEach(result -> positions.add(result.position()));
  }
}
