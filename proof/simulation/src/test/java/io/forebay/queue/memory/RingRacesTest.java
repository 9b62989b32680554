/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class RingRacesTest {

  private static final int BYTES = 200 << 10;

  /** Three messages in a ring that has room for two: the third overwrites the first. */
  static final class ReadWhileOverwritten implements Scenario {

    private final Ring ring = new Ring(1);

    @Override
    public void run() throws InterruptedException {
      append(0);
      append(1);
      Thread reader = Thread.ofPlatform().start(this::read);
      ring.free(2 * Ring.frameBytes(BYTES), 2);
      append(2);
      reader.join();
    }

    private void append(int number) {
      byte[] message = new byte[BYTES];
      Arrays.fill(message, (byte) number);
      ring.append(ByteBuffer.wrap(message));
    }

    private void read() {
      FrameCursor cursor = new FrameCursor(ring);
      for (FrameCursor.Found found = cursor.load();
          found != FrameCursor.Found.END && found != FrameCursor.Found.FREED;
          found = cursor.load()) {
        Races.check(
            found == FrameCursor.Found.MESSAGE,
            "message %d is reported as damaged".formatted(cursor.position()));
        ByteBuffer message = cursor.payload();
        for (int at = 0; at < BYTES; at += BYTES / 16) {
          Races.check(message.get(at) == cursor.position(), "bytes of another message");
        }
        cursor.advance();
      }
    }
  }

  /** A reader follows a writer that leaves a gap between two messages. */
  static final class ReadOverAGap implements Scenario {

    private final Ring ring = new Ring(1);
    private final Semaphore appended = new Semaphore(0);

    @Override
    public void run() throws InterruptedException {
      Thread reader = Thread.ofPlatform().start(this::read);
      ring.append(ByteBuffer.allocate(8));
      appended.release();
      ring.skipTo(10);
      ring.append(ByteBuffer.allocate(8));
      appended.release();
      reader.join();
    }

    private void read() {
      FrameCursor cursor = new FrameCursor(ring);
      while (cursor.position() < 11) {
        FrameCursor.Found found = cursor.load();
        if (found == FrameCursor.Found.MESSAGE) {
          Races.check(cursor.position() == 0 || cursor.position() == 10, "a message in the gap");
          cursor.advance();
        } else {
          Races.check(found == FrameCursor.Found.END, "reported as " + found);
          appended.acquireUninterruptibly();
        }
      }
    }
  }

  @Test
  void aReaderNeverReportsAnOverwrittenMessageAsItsOwnOrAsDamaged() {
    Races.explore(ReadWhileOverwritten.class, 500);
  }

  @Test
  void aReaderFindsTheMessageBehindAGap() {
    Races.explore(ReadOverAGap.class, 300);
  }

  @Test
  void findsAReaderThatDoesNotAskWhetherItsMessageWasFreed() {
    Races.find(ReadWhileOverwritten.class, 500, Mutation.returning(Ring.class, "freed", 0));
  }

  @Test
  void findsAGapThatReadersDoNotKnow() {
    Races.find(ReadOverAGap.class, 300, Mutation.withoutWrite(Ring.class, "skipTo", "gaps"));
  }
}
