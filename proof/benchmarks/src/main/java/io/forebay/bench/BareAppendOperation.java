/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Chronicle Queue alone, with as many bytes as {@link AppendOperations} append. Public for the code
 * that JMH generates.
 */
@State(Scope.Thread)
public class BareAppendOperation {

  /** The folder of the queue; it must not exist. */
  @Param("")
  String folder;

  private ChronicleQueue queue;
  private ExcerptAppender appender;
  private Bytes<?> message;

  /** Opens the queue. */
  @Setup
  public void open() {
    queue = ChronicleQueue.singleBuilder(Path.of(folder)).build();
    appender = queue.createAppender();
    message = Bytes.allocateElasticDirect();
    message.write(new byte[Burst.messageBytes(Burst.INSERT)]);
  }

  /** Closes the queue. */
  @TearDown
  public void close() {
    appender.close();
    queue.close();
    message.releaseLast();
  }

  /** Appends the bytes. */
  @Benchmark
  public long append() {
    appender.writeBytes(message);
    return appender.lastIndexAppended();
  }
}
