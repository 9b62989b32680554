/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Subscribers, each with a connection. One thread reads all of them, so that they leave most of the
 * two cores to the server. A latency is the time from the moment when a result was appended, right
 * after its commit, until a subscriber has read it; both by the clock of this host. Each subscriber
 * checks that no result is missing and none comes twice.
 */
final class ResultSubscribers implements AutoCloseable {

  private static final long LONGEST_SECONDS = 60;
  private static final int LONGEST_LINE = 4_096;
  private static final byte[] ID = "id: ".getBytes(US_ASCII);
  private static final byte[] DATA = "data: ".getBytes(US_ASCII);
  private static final byte[] TIME = "\"time\":\"".getBytes(US_ASCII);

  private final int port;
  private final String token;
  private final Selector selector;
  private final Thread thread;
  private final Histogram micros = new Histogram(120_000_000L, 3);
  private final AtomicLong received = new AtomicLong();
  private CountDownLatch ready = new CountDownLatch(0);
  private volatile @Nullable Exception failure;
  private volatile boolean closed;

  /** The time of the last result, and its text: all subscribers get the same. */
  private byte[] timeText = {};

  private Instant time = Instant.EPOCH;

  ResultSubscribers(int port, String token) throws IOException {
    this.port = port;
    this.token = token;
    selector = Selector.open();
    thread = Thread.ofPlatform().name("subscribers").unstarted(this::run);
  }

  /** One connection. */
  private final class Subscriber {
    private final byte[] line = new byte[LONGEST_LINE];
    private int length;
    private long position = -1;
    private boolean isReady;

    void read(ByteBuffer bytes) {
      while (bytes.hasRemaining()) {
        byte b = bytes.get();
        if (b == '\n') {
          line();
          length = 0;
        } else {
          line[length++] = b;
        }
      }
    }

    private void line() {
      if (startsWith(ID)) {
        id(number(lastDash() + 1));
      } else if (startsWith(DATA)) {
        micros.recordValue(Math.max(0, ChronoUnit.MICROS.between(time(), Instant.now())));
        received.incrementAndGet();
      }
    }

    /** The position after the result that follows, or that of a sign of life. */
    private void id(long next) {
      boolean isNext = next == position || next == position + 1;
      if (isReady && !isNext) {
        throw new IllegalStateException("position %d follows %d".formatted(next, position));
      }
      position = next;
      if (!isReady) {
        isReady = true;
        ready.countDown();
      }
    }

    private boolean startsWith(byte[] prefix) {
      return length >= prefix.length && isAt(0, prefix);
    }

    private boolean isAt(int start, byte[] wanted) {
      for (int i = 0; i < wanted.length; i++) {
        if (line[start + i] != wanted[i]) {
          return false;
        }
      }
      return true;
    }

    private int lastDash() {
      int at = length - 1;
      while (line[at] != '-') {
        at--;
      }
      return at;
    }

    private long number(int start) {
      long number = 0;
      for (int i = start; i < length && Character.isDigit(line[i]); i++) {
        number = 10 * number + line[i] - '0';
      }
      return number;
    }

    private Instant time() {
      int start = DATA.length;
      while (!isAt(start, TIME)) {
        start++;
      }
      start += TIME.length;
      if (timeText.length == 0 || !isAt(start, timeText)) {
        int end = start;
        while (line[end] != '"') {
          end++;
        }
        timeText = Arrays.copyOfRange(line, start, end + 1);
        time = Instant.parse(new String(line, start, end - start, US_ASCII));
      }
      return time;
    }
  }

  /** Opens so many, and waits until all receive. */
  void open(int count) throws IOException, InterruptedException {
    ready = new CountDownLatch(count);
    byte[] request =
        "GET /api/v1/results HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer %s\r\n\r\n"
            .formatted(token)
            .getBytes(US_ASCII);
    thread.start();
    for (int i = 0; i < count; i++) {
      SocketChannel channel =
          SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      channel.write(ByteBuffer.wrap(request));
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, new Subscriber());
      selector.wakeup();
    }
    if (!ready.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException(
          "%,d of %,d subscribers are not ready".formatted(ready.getCount(), count));
    }
  }

  private void run() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(64 << 10);
    try {
      while (!closed) {
        selector.select(key -> read(key, buffer));
      }
    } catch (IOException | RuntimeException e) {
      failure = e;
    }
  }

  private void read(SelectionKey key, ByteBuffer buffer) {
    buffer.clear();
    try {
      if (((SocketChannel) key.channel()).read(buffer) < 0) {
        throw new IllegalStateException("the server ended the events");
      }
    } catch (IOException e) {
      throw new IllegalStateException("the connection of a subscriber broke", e);
    }
    ((Subscriber) key.attachment()).read(buffer.flip());
  }

  /**
   * Waits until so many results were received.
   *
   * @throws IOException if they do not arrive, or more do
   */
  void await(long results) throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (received.get() < results
        && failure == null
        && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(LONGEST_SECONDS)) {
      Thread.sleep(1);
    }
    if (failure != null || received.get() != results) {
      throw new IOException(
          "the subscribers received %,d results instead of %,d".formatted(received.get(), results),
          failure);
    }
  }

  double cpuSeconds() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime()
        / 1e9;
  }

  /** To be called after {@link #close}. */
  void addTo(Rounds figures, double seconds) {
    figures.add("deliveredPerSecond", received.get() / seconds);
    if (received.get() > 0) {
      figures.add("p50Millis", micros.getValueAtPercentile(50) / 1e3);
      figures.add("p99Millis", micros.getValueAtPercentile(99) / 1e3);
      figures.add("maxMillis", micros.getMaxValue() / 1e3);
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    closed = true;
    selector.wakeup();
    thread.join();
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    selector.close();
  }
}
