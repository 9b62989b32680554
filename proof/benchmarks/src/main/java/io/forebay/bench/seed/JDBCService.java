/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.seed;

import java.sql.Connection;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.bytes.MethodReader;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.threads.LongPauser;
import net.openhft.chronicle.threads.Pauser;
import org.jspecify.annotations.Nullable;

/**
 * The component between two queues.
 *
 * <p>It starts at the first message. The original resumed after the last input that its output
 * named. That makes no difference here, where both queues are new; the history needed for a restart
 * is written anyway. {@link #hold} is an addition.
 */
public final class JDBCService implements AutoCloseable {

  /** The name of its thread. */
  public static final String THREAD = "seed-service";

  private final ChronicleQueue in;
  private final ChronicleQueue out;
  private final Callable<Connection> connections;
  private final Thread thread;
  private volatile boolean held;
  private volatile boolean closed;
  private volatile @Nullable Throwable failure;

  /**
   * Creates a service. Both queues have a source id, so that results name the statement they
   * answer.
   */
  public JDBCService(ChronicleQueue in, ChronicleQueue out, Callable<Connection> connections) {
    this.in = in;
    this.out = out;
    this.connections = connections;
    thread = new Thread(this::run, THREAD);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try (var appender = out.createAppender();
        var tailer = in.createTailer();
        Connection connection = connections.call()) {
      JDBCResult result = appender.methodWriterBuilder(JDBCResult.class).get();
      MethodReader reader = tailer.methodReader(new JDBCComponent(connection, result));
      Pauser pauser = new LongPauser(50, 200, 1, 10, TimeUnit.MILLISECONDS);
      while (!closed) {
        if (!held && reader.readOne()) {
          pauser.reset();
        } else {
          pauser.pause();
        }
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** Why no more results will come; null while the service runs. */
  public @Nullable Throwable failure() {
    return failure;
  }

  /** Stops or resumes reading the queue. */
  public void hold(boolean held) {
    this.held = held;
  }

  /** For the calling thread only. */
  public JDBCStatement createWriter() {
    return in.createAppender().methodWriterBuilder(JDBCStatement.class).get();
  }

  /** For the calling thread only. */
  public MethodReader createReader(JDBCResult result) {
    return out.createTailer().methodReader(result);
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
