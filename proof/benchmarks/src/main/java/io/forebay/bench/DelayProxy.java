/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Forwards connections to a server on this machine as if it were further away: what a client sends
 * arrives after a fixed time, so that each round trip takes that much longer. The time does not
 * limit the throughput. Thread-safe.
 */
final class DelayProxy implements AutoCloseable {

  private static final int BUFFER = 1 << 16;
  private static final byte[] END = {};

  private final int server;
  private final long delayNanos;
  private final ServerSocket listener;
  private final AtomicLong roundTrips = new AtomicLong();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  /** What arrives at the server, and when. */
  private record Part(byte[] bytes, long due) {}

  /**
   * @param server the port of the server
   * @param delayMillis how much longer a round trip takes
   */
  DelayProxy(int server, double delayMillis) throws IOException {
    this.server = server;
    delayNanos = (long) (delayMillis * 1e6);
    listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread.ofPlatform().daemon().name("delay-proxy").start(this::accept);
  }

  /** Where clients connect. */
  int port() {
    return listener.getLocalPort();
  }

  /** How often a client of all so far has sent something after an answer. */
  long roundTrips() {
    return roundTrips.get();
  }

  private void accept() {
    try {
      while (true) {
        connect(listener.accept());
      }
    } catch (IOException e) {
      close(); // closed, or the server does not listen: clients see their connections end
    }
  }

  private void connect(Socket client) throws IOException {
    open.add(client);
    Socket far = new Socket(InetAddress.getLoopbackAddress(), server);
    open.add(far);
    client.setTcpNoDelay(true);
    far.setTcpNoDelay(true);
    BlockingQueue<Part> travelling = new LinkedBlockingQueue<>();
    AtomicBoolean answered = new AtomicBoolean(true);
    start(client, far, () -> depart(client, travelling, answered));
    start(client, far, () -> arrive(travelling, far));
    start(client, far, () -> giveBack(far, client, answered));
  }

  private interface Transfer {
    void run() throws IOException, InterruptedException;
  }

  /** Runs a transfer; its end is the end of the connection. */
  private void start(Socket client, Socket far, Transfer transfer) {
    Thread.ofPlatform()
        .daemon()
        .name("delay-proxy-connection")
        .start(() -> {
          try {
            transfer.run();
          } catch (IOException | InterruptedException e) {
            // one of the two sides has closed
          } finally {
            close(client);
            close(far);
          }
        });
  }

  private void depart(Socket client, BlockingQueue<Part> travelling, AtomicBoolean answered)
      throws IOException {
    InputStream from = client.getInputStream();
    byte[] buffer = new byte[BUFFER];
    try {
      for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
        if (answered.getAndSet(false)) {
          roundTrips.incrementAndGet();
        }
        travelling.add(new Part(Arrays.copyOf(buffer, count), System.nanoTime() + delayNanos));
      }
    } finally {
      travelling.add(new Part(END, 0));
    }
  }

  private static void arrive(BlockingQueue<Part> travelling, Socket far)
      throws IOException, InterruptedException {
    OutputStream to = far.getOutputStream();
    for (Part part = travelling.take(); part.bytes() != END; part = travelling.take()) {
      TimeUnit.NANOSECONDS.sleep(part.due() - System.nanoTime());
      to.write(part.bytes());
    }
  }

  private static void giveBack(Socket far, Socket client, AtomicBoolean answered)
      throws IOException {
    InputStream from = far.getInputStream();
    OutputStream to = client.getOutputStream();
    byte[] buffer = new byte[BUFFER];
    for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
      answered.set(true);
      to.write(buffer, 0, count);
    }
  }

  private void close(Socket socket) {
    open.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // it is closed
    }
  }

  /** Ends all connections. */
  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      // it is closed
    }
    open.forEach(this::close);
  }
}
