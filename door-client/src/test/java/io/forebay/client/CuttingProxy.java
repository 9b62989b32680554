/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A TCP proxy that breaks its first connections. */
final class CuttingProxy implements AutoCloseable {

  /**
   * How many bytes a connection forwards before it is cut; the byte after them is not forwarded.
   */
  record Cut(long requestBytes, long answerBytes) {}

  /** The answer is lost. */
  static final Cut NO_ANSWER = new Cut(Long.MAX_VALUE, 0);

  private final ServerSocket server;
  private final URI target;
  private final List<Cut> cuts;
  private final AtomicInteger done = new AtomicInteger();
  private final AtomicInteger answers = new AtomicInteger();

  private CuttingProxy(ServerSocket server, URI target, List<Cut> cuts) {
    this.server = server;
    this.target = target;
    this.cuts = cuts;
  }

  static CuttingProxy to(URI target, List<Cut> cuts) throws IOException {
    CuttingProxy proxy =
        new CuttingProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target, cuts);
    Thread.startVirtualThread(proxy::accept);
    return proxy;
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  /** How many connections were cut. */
  int cuts() {
    return done.get();
  }

  /** How many times bytes of an answer were forwarded. */
  int answers() {
    return answers.get();
  }

  private void accept() {
    for (int i = 0; ; i++) {
      Cut cut = i < cuts.size() ? cuts.get(i) : new Cut(Long.MAX_VALUE, Long.MAX_VALUE);
      try {
        Socket client = server.accept();
        Socket door = new Socket(target.getHost(), target.getPort());
        Thread.startVirtualThread(
            () -> forward(client, door, cut.requestBytes(), new AtomicInteger()));
        Thread.startVirtualThread(() -> forward(door, client, cut.answerBytes(), answers));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void forward(Socket from, Socket to, long bytes, AtomicInteger parts) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[8192];
      long left = bytes;
      int read;
      while ((read = in.read(buffer)) > 0) {
        out.write(buffer, 0, (int) Math.min(read, left));
        out.flush();
        if (read > left) {
          done.incrementAndGet();
          return;
        }
        left -= read;
        parts.incrementAndGet();
      }
    } catch (IOException e) {
      // the other side was cut
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
