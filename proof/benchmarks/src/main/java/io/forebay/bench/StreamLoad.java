/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Sends orders as streams of lines, as fast as the server reads them. A latency is the time from
 * the moment when a group of lines was handed to the connection until its last line is
 * acknowledged.
 */
final class StreamLoad {

  /** What a path begins with whose orders are sent as streams. */
  static final String PREFIX = "stream:";

  /** How many streams are sent at the same time. */
  static final int CONNECTIONS = 4;

  private static final int GROUP = 1_000;

  private final LoadRequest request;
  private final long end;
  private final AtomicLong number = new AtomicLong(LoadRequest.FIRST);
  private final Histogram latencies = new ConcurrentHistogram(120_000_000_000L, 3);

  private StreamLoad(LoadRequest request, long end) {
    this.request = request;
    this.end = end;
  }

  /** A group of lines that is on its way. */
  private record Sent(long lastLine, long nanos) {}

  /**
   * @param request its path begins with {@link #PREFIX}
   * @throws IOException if a stream breaks
   */
  static Rounds run(double seconds, LoadRequest request) throws IOException {
    long cpuBefore = Load.cpuNanos();
    long start = System.nanoTime();
    StreamLoad load = new StreamLoad(request, start + (long) (seconds * 1e9));
    long acknowledged = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> streams = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        Callable<Long> stream = () -> load.send(threads);
        streams.add(threads.submit(stream));
      }
      for (Future<Long> stream : streams) {
        acknowledged += stream.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("a stream broke", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return Load.result(acknowledged, 0, 0, start, cpuBefore, load.latencies);
  }

  /** Sends one stream, and returns how many lines were accepted. */
  private long send(ExecutorService threads) throws Exception {
    Queue<Sent> onTheirWay = new ConcurrentLinkedQueue<>();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), request.port())) {
      Future<Long> accepted = threads.submit(() -> read(socket, onTheirWay));
      OutputStream out = socket.getOutputStream();
      out.write(
          """
          POST %s HTTP/1.1
          Host: %s
          Authorization: Bearer %s
          Content-Type: application/x-ndjson
          Transfer-Encoding: chunked
          Connection: close

          """
              .formatted(request.path().substring(PREFIX.length()), request.host(), request.token())
              .replace("\n", "\r\n")
              .getBytes(StandardCharsets.US_ASCII));
      byte[] start = LoadRequest.BODY_START.getBytes(StandardCharsets.US_ASCII);
      byte[] rest = (request.bodyEnd() + "\n").getBytes(StandardCharsets.US_ASCII);
      int digits = Long.toString(LoadRequest.FIRST).length();
      int line = start.length + digits + rest.length;
      byte[] lines = new byte[GROUP * line];
      byte[] chunk = "%x\r\n".formatted(lines.length).getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < GROUP; i++) {
        System.arraycopy(start, 0, lines, i * line, start.length);
        System.arraycopy(rest, 0, lines, i * line + start.length + digits, rest.length);
      }
      for (long sent = GROUP; System.nanoTime() < end; sent += GROUP) {
        long first = number.getAndAdd(GROUP);
        for (int i = 0; i < GROUP; i++) {
          put(lines, i * line + start.length + digits, first + i);
        }
        onTheirWay.add(new Sent(sent, System.nanoTime()));
        out.write(chunk);
        out.write(lines);
        out.write('\r');
        out.write('\n');
      }
      out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      return accepted.get();
    }
  }

  /** Writes the digits of a number before {@code end}. */
  private static void put(byte[] bytes, int end, long number) {
    long rest = number;
    for (int i = end - 1; rest > 0; i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }

  private Long read(Socket socket, Queue<Sent> onTheirWay) throws IOException {
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    long accepted = 0;
    String line;
    while ((line = in.readLine()) != null) {
      if (line.startsWith("{\"from\":")) {
        accepted += member(line, "\"accepted\":");
        long to = member(line, "\"to\":");
        for (Sent sent = onTheirWay.peek();
            sent != null && sent.lastLine <= to;
            sent = onTheirWay.peek()) {
          latencies.recordValue(System.nanoTime() - sent.nanos);
          onTheirWay.remove();
        }
      } else if (line.startsWith("{\"complete\":true")) {
        return accepted;
      } else if (line.startsWith("{\"complete\":false") || line.startsWith("{\"line\":")) {
        throw new IOException("the server answers " + line);
      }
    }
    throw new IOException("the server ended the answer before its last line");
  }

  private static long member(String json, String name) {
    int start = json.indexOf(name) + name.length();
    int end = start;
    while (Character.isDigit(json.charAt(end))) {
      end++;
    }
    return Long.parseLong(json, start, end, 10);
  }
}
