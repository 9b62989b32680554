/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;

/**
 * Writes frames with one Chronicle appender. A frame is assembled in a separate buffer and written
 * as a whole, so that a failure never leaves half a frame that looks finished. For one thread at a
 * time.
 */
public class FrameWriter implements AutoCloseable {

  private final ExcerptAppender appender;
  private final StoredFrame frame = new StoredFrame();
  private final Bytes<?> document = Bytes.allocateElasticDirect(1024);

  public FrameWriter(SingleChronicleQueue queue) {
    appender = queue.createAppender();
    appender.singleThreadedCheckDisabled(true);
    document.singleThreadedCheckDisabled(true);
  }

  public void resume(long number) {
    frame.resume(number);
    write(frame);
  }

  /** Writes a frame unchanged. */
  public void write(StoredFrame frame) {
    document.clear();
    document.writeLong(frame.word());
    document.writeInt(frame.checksum());
    document.write(frame.bytes(), StoredFrame.WORD_BYTES, frame.length());
    appender.writeBytes(document);
  }

  /** The file that was written to last. */
  public int cycle() {
    return appender.cycle();
  }

  @Override
  public void close() {
    appender.close();
    document.releaseLast();
  }
}
