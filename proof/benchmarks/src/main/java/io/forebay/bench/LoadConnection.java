/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A keep-alive connection with at most one outstanding request. It allocates nothing per request:
 * the request is one buffer in which the number is overwritten, and of the answer only the status
 * and the end are parsed.
 */
final class LoadConnection {

  private final InetSocketAddress server;
  private final Selector selector;
  private final ByteBuffer request;
  private final int numberEnd;
  private final Answer answer = new Answer();
  private @Nullable SocketChannel channel;
  private long sentNanos;
  private boolean waiting;

  LoadConnection(InetSocketAddress server, Selector selector, LoadRequest request) {
    this.server = server;
    this.selector = selector;
    this.request = request.bytes();
    numberEnd = request.numberEnd();
  }

  /** Sends the request with this number, over a new connection if none is open. */
  void send(long number) throws IOException {
    SocketChannel to = channel == null ? connect() : channel;
    answer.clear();
    long rest = number;
    for (int i = numberEnd - 1; rest > 0; i--) {
      request.put(i, (byte) ('0' + rest % 10));
      rest /= 10;
    }
    request.rewind();
    waiting = true;
    sentNanos = System.nanoTime();
    while (request.hasRemaining()) {
      to.write(request);
    }
  }

  private SocketChannel connect() throws IOException {
    SocketChannel connected = SocketChannel.open(server);
    channel = connected;
    connected.configureBlocking(false);
    connected.setOption(StandardSocketOptions.TCP_NODELAY, true);
    connected.register(selector, SelectionKey.OP_READ, this);
    return connected;
  }

  /**
   * Reads the available bytes.
   *
   * @return the status of the answer if it is complete; otherwise 0
   * @throws IOException if the connection is broken
   */
  int receive() throws IOException {
    SocketChannel from = channel;
    if (from == null) {
      throw new IOException("not connected");
    }
    int read = answer.readFrom(from);
    if (read < 0 || !waiting) {
      throw new IOException("the server closed the connection");
    }
    if (!answer.isComplete()) {
      return 0;
    }
    waiting = false;
    if (answer.closes()) {
      close();
    }
    return answer.status();
  }

  /** When the current or last request was sent. */
  long sentNanos() {
    return sentNanos;
  }

  /** Whether a request was sent and not yet answered. */
  boolean isWaiting() {
    return waiting;
  }

  void close() throws IOException {
    waiting = false;
    if (channel != null) {
      channel.close();
      channel = null;
    }
  }
}
