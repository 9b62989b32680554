/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Subscribers, each with a connection and a virtual thread. A latency is the time from the moment
 * when a result was appended, right after its commit, until a subscriber has read it; both by the
 * clock of this host.
 */
final class ResultSubscribers implements AutoCloseable {

  private static final long LONGEST_SECONDS = 60;
  private static final String TIME = "\"time\":\"";

  private final int port;
  private final String token;
  private final Histogram micros = new ConcurrentHistogram(120_000_000L, 3);
  private final AtomicLong received = new AtomicLong();
  private final List<Socket> sockets = new ArrayList<>();

  ResultSubscribers(int port, String token) {
    this.port = port;
    this.token = token;
  }

  /** Opens so many, and waits until all receive. */
  void open(int count) throws IOException, InterruptedException {
    CountDownLatch ready = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      sockets.add(socket);
      socket
          .getOutputStream()
          .write(
              "GET /api/v1/results HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer %s\r\n\r\n"
                  .formatted(token)
                  .getBytes(US_ASCII));
      Thread.startVirtualThread(() -> read(socket, ready));
    }
    if (!ready.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException(
          "%,d of %,d subscribers are not ready".formatted(ready.getCount(), count));
    }
  }

  private void read(Socket socket, CountDownLatch ready) {
    boolean waiting = true;
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII), 1_024)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (waiting && line.startsWith("id: ")) {
          waiting = false;
          ready.countDown();
        } else if (line.startsWith("data: ")) {
          int start = line.indexOf(TIME) + TIME.length();
          Instant appended = Instant.parse(line.substring(start, line.indexOf('"', start)));
          micros.recordValue(Math.max(0, ChronoUnit.MICROS.between(appended, Instant.now())));
          received.incrementAndGet();
        }
      }
    } catch (IOException e) {
      // closed; a result that is missing is noticed by its count
    }
  }

  /**
   * Waits until so many results were received.
   *
   * @throws IOException if they do not arrive, or more do
   */
  void await(long results) throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (received.get() < results
        && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(LONGEST_SECONDS)) {
      Thread.sleep(1);
    }
    if (received.get() != results) {
      throw new IOException(
          "the subscribers received %,d results instead of %,d".formatted(received.get(), results));
    }
  }

  double cpuSeconds() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime()
        / 1e9;
  }

  void addTo(Rounds figures, double seconds) {
    figures.add("deliveredPerSecond", received.get() / seconds);
    if (received.get() > 0) {
      figures.add("p50Millis", micros.getValueAtPercentile(50) / 1e3);
      figures.add("p99Millis", micros.getValueAtPercentile(99) / 1e3);
      figures.add("maxMillis", micros.getMaxValue() / 1e3);
    }
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
