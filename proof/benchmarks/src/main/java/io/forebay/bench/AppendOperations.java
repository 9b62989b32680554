/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.chronicle.ChronicleBackend.Writing;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A call of a statement: it is encoded and appended to a Chronicle queue. Public for the code that
 * JMH generates.
 */
@State(Scope.Thread)
public class AppendOperations {

  /** The folder of the queue; it must not exist. */
  @Param("")
  String folder;

  /** How it writes. */
  @Param("DIRECT")
  Writing writing;

  /** The level at which it acknowledges, which an append does not wait for. */
  @Param("PROCESS")
  Level level;

  private final SampleStatement statement = new SampleStatement();
  private ChronicleBackend backend;
  private MessageQueue queue;
  private Writer<JDBCStatement> writer;

  /** Opens the queue. */
  @Setup
  public void open() {
    backend =
        ChronicleBackend.open(
            Path.of(folder),
            ChronicleBackend.Options.defaults().withWriting(writing).withLevel(level));
    queue = backend.open("jmh", 1);
    writer = Protocol.of(JDBCStatement.class).writer(queue);
  }

  /** Closes the queue. */
  @TearDown
  public void close() {
    writer.close();
    queue.close();
    backend.close();
  }

  /** Appends a call. */
  @Benchmark
  public long append() {
    statement.call(writer.calls());
    return writer.lastTicket();
  }
}
