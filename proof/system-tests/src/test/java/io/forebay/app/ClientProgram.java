/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.client.DoorClient;
import io.forebay.client.DoorOptions;
import io.forebay.client.DoorUnavailable;
import io.forebay.client.StatementStream;
import io.forebay.client.StreamOptions;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * A program that sends a stream with {@link DoorClient}. It dies with the service: each run knows
 * only what it would have stored, the last acknowledged line.
 */
final class ClientProgram {

  private static final Duration RETRY_FOR = Duration.ofSeconds(1);

  private final String stream;
  private volatile long acknowledged;

  ClientProgram(String stream) {
    this.stream = stream;
  }

  /** All lines up to this one are acknowledged. */
  long acknowledged() {
    return acknowledged;
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
    try (DoorClient door = client(address, token)) {
      StatementStream lines = door.stream(stream, "lines.add", options);
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
}
