/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Burst.Contents;
import io.forebay.bench.Contender.Effects;
import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptTailer;

/** Chronicle Queue alone: to perform a message is to read it. */
final class BareBacklog extends BareAppend implements Contender.Performing, Contender.Effects {

  private static final int MOST = 1_000;

  private final ExcerptTailer tailer = queue.createTailer();
  private final Bytes<?> message = Bytes.allocateElasticDirect(BacklogContender.MESSAGE_BYTES);
  private final Burst any = Burst.plain(0, 0);
  private Contents read = Contents.NONE;
  private boolean held;

  BareBacklog(Path parent) {
    super(parent, BacklogContender.MESSAGE_BYTES);
  }

  @Override
  public Effects effects() {
    return this;
  }

  @Override
  public void clear() {
    read = Contents.NONE;
  }

  @Override
  public Contents contents() {
    return read;
  }

  @Override
  public String performingThread() {
    return Thread.currentThread().getName();
  }

  @Override
  public void hold(boolean held) {
    this.held = held;
  }

  @Override
  public int pollResults(Tally tally) {
    int count = 0;
    while (!held && count < MOST && tailer.readBytes(message.clear())) {
      long id = message.readLong(0);
      read = read.with(id, any.amount(id));
      tally.updated(1);
      count++;
    }
    return count;
  }

  @Override
  public void close() {
    tailer.close();
    message.releaseLast();
    super.close();
  }
}
