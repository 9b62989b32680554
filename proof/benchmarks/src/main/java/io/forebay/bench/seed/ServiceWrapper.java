/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.seed;

import java.nio.file.Path;
import net.openhft.chronicle.bytes.MethodReader;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.threads.Pauser;
import org.jspecify.annotations.Nullable;

/**
 * A stage of the pipeline between two queues. The original bound its thread to an isolated CPU
 * where there was one.
 */
public final class ServiceWrapper implements Runnable, AutoCloseable {

  private final ChronicleQueue in;
  private final ChronicleQueue out;
  private final Pauser pauser;
  private final Thread thread;
  private volatile boolean closed;
  private volatile @Nullable Throwable failure;

  public ServiceWrapper(Path in, Path out, Pauser pauser) {
    this.in = ChronicleQueue.single(in.toString());
    this.out = ChronicleQueue.single(out.toString());
    this.pauser = pauser;
    thread = new Thread(this, in.getFileName() + " to " + out.getFileName());
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void run() {
    try (var appender = out.createAppender();
        var tailer = in.createTailer()) {
      SimpleService output = appender.methodWriter(SimpleService.class);
      MethodReader reader = tailer.methodReader(new ServiceImpl(output));
      while (!closed) {
        if (reader.readOne()) {
          pauser.reset();
        } else {
          pauser.pause();
        }
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** Why it has ended; null while it runs. */
  public @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    in.close();
    out.close();
  }
}
