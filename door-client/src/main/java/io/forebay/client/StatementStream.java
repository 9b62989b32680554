/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A stream of statements to a door. Lines are numbered in the order of the calls of {@link #send}.
 *
 * <pre>{@code
 * try (StatementStream orders = door.stream("orders-nov-26", "orders.place", options)) {
 *   for (Order order : all) {
 *     orders.send(Map.of("id", order.id(), "item", order.item()));
 *   }
 *   StreamEnd end = orders.finish();
 * }
 * }</pre>
 *
 * <p>Lines are kept until the door has acknowledged them. If the connection breaks, or the door
 * stops or is full, the stream waits and sends again from the first unacknowledged line. Each line
 * is performed once, also if it is sent again.
 *
 * <p>To resume after a crash of your own process, store {@link #acknowledged} from time to time,
 * and open the stream again with the same name, and with {@link StreamOptions#from} one higher. To
 * begin further back is safe, as long as each number means the same line.
 *
 * <p>Thread-safe. If the stream fails, {@link #send} and {@link #finish} throw the reason: {@link
 * DoorProblem}, {@link DoorUnavailable}, or what the listener threw. Another stream may then be
 * opened to resume.
 */
public final class StatementStream implements AutoCloseable {

  private final LineBuffer buffer;
  private final Thread sender;

  /**
   * @param address of the stream, without the number of the first line at its end
   */
  StatementStream(DoorHttp http, URI address, StreamOptions options) {
    buffer = new LineBuffer(options.from(), options.buffer());
    sender =
        Thread.ofVirtual()
            .name("statement-stream")
            .start(new StreamSender(http, address, options, buffer));
  }

  /**
   * Sends a line. It returns before the line is acknowledged; it waits while {@link
   * StreamOptions#buffer} lines, or 16 MiB, are not.
   *
   * @return the number of the line
   * @throws IllegalStateException if the stream is closed
   */
  public long send(Map<String, ? extends @Nullable Object> params) throws InterruptedException {
    return buffer.add(Json.write(params));
  }

  /** All lines up to this one were accepted or refused; one less than the first line at first. */
  public long acknowledged() {
    return buffer.acknowledged();
  }

  /** Waits until all lines that were sent are acknowledged. More lines may follow. */
  public StreamEnd finish() throws InterruptedException {
    return buffer.awaitEmpty();
  }

  /** Stops sending. Lines that are not acknowledged may have been accepted or not. */
  @Override
  public void close() {
    buffer.close();
    sender.interrupt();
  }
}
