/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.chronicle.ChronicleBackend;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;

/** The ways of a message of 32 bytes from one thread to another that are compared. */
enum TailContender {
  /** No queue: a slot in memory. What it shows is the jitter of the machine. */
  OS_JITTER {
    @Override
    Way open(Path folder) {
      return new Slot();
    }
  },
  CHRONICLE {
    @Override
    Way open(Path folder) {
      return new Plain(folder);
    }
  },
  DIRECT {
    @Override
    Way open(Path folder) {
      return new Forebay(folder, ChronicleBackend.Writing.DIRECT);
    }
  },
  PRETOUCH {
    @Override
    Way open(Path folder) {
      return new Forebay(folder, ChronicleBackend.Writing.PRETOUCH);
    }
  },
  ASYNC {
    @Override
    Way open(Path folder) {
      return new Forebay(folder, ChronicleBackend.Writing.ASYNC);
    }
  };

  static final int MESSAGE_BYTES = 32;

  /** One thread writes, another one reads. */
  interface Way extends AutoCloseable {

    void write(long value);

    /** The next value that was written, or -1 if there is none yet. */
    long read();

    @Override
    void close();
  }

  abstract Way open(Path folder);

  /** A ring of longs. */
  private static final class Slot implements Way {

    private static final int SIZE = 1 << 20;

    private final long[] values = new long[SIZE];
    private final AtomicLong written = new AtomicLong();
    private long read;

    @Override
    public void write(long value) {
      long at = written.get();
      values[(int) at & SIZE - 1] = value;
      written.setRelease(at + 1);
    }

    @Override
    public long read() {
      return read < written.getAcquire() ? values[(int) read++ & SIZE - 1] : -1;
    }

    @Override
    public void close() {}
  }

  /** Chronicle Queue without Forebay, as the seed measured it. */
  private static final class Plain implements Way {

    private final ChronicleQueue queue;
    private final ExcerptAppender appender;
    private final ExcerptTailer tailer;
    private final Bytes<?> message = Bytes.allocateDirect(MESSAGE_BYTES);
    private final Bytes<?> received = Bytes.allocateDirect(MESSAGE_BYTES);

    Plain(Path folder) {
      queue = ChronicleQueue.singleBuilder(folder).build();
      appender = queue.createAppender();
      appender.singleThreadedCheckDisabled(true);
      tailer = queue.createTailer();
      tailer.singleThreadedCheckDisabled(true);
      message.singleThreadedCheckDisabled(true);
      received.singleThreadedCheckDisabled(true);
      message.write(new byte[MESSAGE_BYTES]);
    }

    @Override
    public void write(long value) {
      message.writeLong(0, value);
      appender.writeBytes(message);
    }

    @Override
    public long read() {
      received.clear();
      return tailer.readBytes(received) ? received.readLong(0) : -1;
    }

    @Override
    public void close() {
      tailer.close();
      appender.close();
      queue.close();
      message.releaseLast();
      received.releaseLast();
    }
  }

  private static final class Forebay implements Way, MessageHandler {

    private final ChronicleBackend backend;
    private final MessageQueue queue;
    private final Appender appender;
    private final Tailer tailer;
    private final ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE_BYTES);
    private long received;

    Forebay(Path folder, ChronicleBackend.Writing writing) {
      backend =
          ChronicleBackend.open(folder, ChronicleBackend.Options.defaults().withWriting(writing));
      queue = backend.open("tail", 1);
      appender = queue.appender();
      tailer = queue.tailer(0);
      message.order(ByteOrder.BIG_ENDIAN);
    }

    @Override
    public void write(long value) {
      message.putLong(0, value);
      appender.append(0, message);
    }

    @Override
    public long read() {
      return tailer.poll(1, this) == 0 ? -1 : received;
    }

    @Override
    public void handle(long position, ByteBuffer message) {
      received = message.getLong(message.position());
    }

    @Override
    public void close() {
      tailer.close();
      appender.close();
      queue.close();
      backend.close();
    }
  }
}
