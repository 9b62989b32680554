/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.seed;

import java.util.function.Function;
import net.openhft.chronicle.bytes.MethodReader;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.threads.Pauser;
import org.jspecify.annotations.Nullable;

/**
 * A component between two queues, with generated method writers and readers.
 *
 * <p>It starts at the first message. The original resumed after the last input that its output
 * named, and bound its thread to an isolated CPU where there was one. That makes no difference
 * here, where both queues are new; the history needed for a restart is written anyway. {@link
 * #hold} is an addition.
 */
public final class SeedService implements AutoCloseable {

  private final Thread thread;
  private volatile boolean held;
  private volatile boolean closed;
  private volatile @Nullable Throwable failure;

  /**
   * Starts a service.
   *
   * @param thread the name of its thread
   * @param component creates the component, which writes to the given appender
   */
  public SeedService(
      ChronicleQueue in,
      ChronicleQueue out,
      Pauser pauser,
      String thread,
      Function<ExcerptAppender, Object> component) {
    this.thread = new Thread(() -> run(in, out, pauser, component), thread);
    this.thread.setDaemon(true);
    this.thread.start();
  }

  private void run(
      ChronicleQueue in,
      ChronicleQueue out,
      Pauser pauser,
      Function<ExcerptAppender, Object> component) {
    try (var appender = out.createAppender();
        var tailer = in.createTailer()) {
      MethodReader reader = tailer.methodReader(component.apply(appender));
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

  /** Why no more answers will come; null while the service runs. */
  public @Nullable Throwable failure() {
    return failure;
  }

  /** Stops or resumes reading the queue. */
  public void hold(boolean held) {
    this.held = held;
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
