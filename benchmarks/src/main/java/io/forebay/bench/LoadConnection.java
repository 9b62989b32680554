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
 * A keep-alive connection with at most one request under way. It makes nothing per request: the
 * request is one buffer in which the number is overwritten, and of the answer only the status and
 * where it ends are looked at.
 */
final class LoadConnection {

  private final InetSocketAddress server;
  private final Selector selector;
  private final LoadRequest.Copy request;
  private final Answer answer = new Answer();
  private @Nullable SocketChannel channel;
  private long sentNanos;
  private boolean waiting;

  LoadConnection(InetSocketAddress server, Selector selector, LoadRequest request) {
    this.server = server;
    this.selector = selector;
    this.request = request.copy();
  }

  /** Sends the request with that number, over a new connection if there is none. */
  void send(long number) throws IOException {
    SocketChannel to = channel == null ? connect() : channel;
    answer.clear();
    ByteBuffer bytes = request.numbered(number);
    waiting = true;
    sentNanos = System.nanoTime();
    while (bytes.hasRemaining()) {
      to.write(bytes);
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
   * Reads what has come.
   *
   * @return the status of the answer if that is all of it; 0 if more is to come
   * @throws IOException if there will be no more
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

  /** When the request under way, or the last one, was sent. */
  long sentNanos() {
    return sentNanos;
  }

  /** Whether a request has been sent and not been answered. */
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
