/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.FrameWriter;
import io.forebay.chronicle.file.StoredFrame;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;

/** Writes to a disk that stalls: each frame needs a permit. It may also break. */
final class GatedWriter extends FrameWriter {

  private final Semaphore permits;
  private final BooleanSupplier broken;

  GatedWriter(SingleChronicleQueue queue, Semaphore permits, BooleanSupplier broken) {
    super(queue);
    this.permits = permits;
    this.broken = broken;
  }

  @Override
  public void write(StoredFrame frame) {
    permits.acquireUninterruptibly();
    if (broken.getAsBoolean()) {
      throw new IllegalStateException("thrown by the test's writer");
    }
    super.write(frame);
  }
}
