/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Generates load in its own process: each connection sends its next request when the last one was
 * answered (a closed loop). It uses one thread and a selector, to take little CPU from the server.
 *
 * <p>At the end it waits for outstanding answers, so that the acknowledged requests are exactly
 * those counted.
 */
final class LoadGenerator {

  static final String COMMAND = "load";
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final InetSocketAddress server;
  private final Histogram latencies = new Histogram(TimeUnit.MINUTES.toNanos(2), 3);
  private long number = LoadRequest.FIRST;
  private long acknowledged;
  private long refused;
  private long lost;
  private int underWay;

  private LoadGenerator(int port) {
    server = new InetSocketAddress("127.0.0.1", port);
  }

  /**
   * The main method of the generator's process. Each input line requests one period of load: path,
   * token, run, port, connections, seconds. It prints the result of each. The process ends at the
   * end of its input.
   */
  static void main() throws IOException {
    BufferedReader periods =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line;
    while ((line = periods.readLine()) != null) {
      String[] words = line.split(" ");
      LoadRequest request =
          new LoadRequest(Integer.parseInt(words[3]), words[0], words[1], Long.parseLong(words[2]));
      double seconds = Double.parseDouble(words[5]);
      Rounds result =
          words[0].startsWith(StreamLoad.PREFIX)
              ? StreamLoad.run(seconds, request)
              : run(Integer.parseInt(words[4]), seconds, request);
      System.out.println(result.line());
    }
  }

  /**
   * @throws IOException if the server accepts no connections
   */
  static Rounds run(int connections, double seconds, LoadRequest request) throws IOException {
    return new LoadGenerator(request.port()).run(connections, (long) (seconds * 1e9), request);
  }

  private Rounds run(int connections, long nanos, LoadRequest request) throws IOException {
    long cpuBefore = Load.cpuNanos();
    long start = System.nanoTime();
    long end = start + nanos;
    List<LoadConnection> all = new ArrayList<>();
    try (Selector selector = Selector.open()) {
      for (int i = 0; i < connections; i++) {
        LoadConnection connection = new LoadConnection(server, selector, request);
        all.add(connection);
        send(connection);
      }
      while (underWay > 0 && System.nanoTime() - end < LONGEST_WAIT_NANOS) {
        selector.select(key -> take(key, end), 1_000);
      }
    } finally {
      for (LoadConnection connection : all) {
        lost += connection.isWaiting() ? 1 : 0;
        connection.close();
      }
    }
    return Load.result(acknowledged, refused, lost, start, cpuBefore, latencies);
  }

  private void send(LoadConnection connection) throws IOException {
    try {
      connection.send(number++);
    } catch (ConnectException e) {
      throw e;
    } catch (IOException e) {
      lost++;
      connection.close();
      connection.send(number++);
    }
    underWay++;
  }

  private void take(SelectionKey key, long end) {
    LoadConnection connection = (LoadConnection) key.attachment();
    try {
      boolean waited = connection.isWaiting();
      try {
        int status = connection.receive();
        if (status == 0) {
          return;
        }
        count(status, System.nanoTime() - connection.sentNanos());
      } catch (IOException e) {
        connection.close();
        if (!waited) {
          return;
        }
        lost++;
      }
      underWay--;
      if (System.nanoTime() < end) {
        sendAgain(connection);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends the next request, unless the server was killed: then the connection stays closed. */
  private void sendAgain(LoadConnection connection) throws IOException {
    try {
      send(connection);
    } catch (ConnectException e) {
      connection.close();
    }
  }

  private void count(int status, long nanos) {
    latencies.recordValue(Math.min(nanos, latencies.getHighestTrackableValue()));
    if (status >= 200 && status < 300) {
      acknowledged++;
    } else {
      refused++;
    }
  }
}
