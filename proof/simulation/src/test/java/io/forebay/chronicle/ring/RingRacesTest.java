/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.ring;

import io.forebay.chronicle.file.StoredFrame;
import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RingRacesTest {

  private static final int MESSAGES = 6;
  private static final Mutation STEPS =
      Mutation.steps(Ring.class, "java.lang.foreign.MemorySegment|java.lang.invoke.VarHandle");

  /**
   * One thread offers, one moves the oldest frame to the file, one reads: as in a partition. The
   * ring has room for three frames.
   */
  abstract static class OfferMove implements Scenario {

    final Ring ring =
        new Ring(MemorySegment.ofArray(new long[512]), MemorySegment.ofArray(new long[16]));
    private final Semaphore movable = new Semaphore(0);
    private final Semaphore moved = new Semaphore(0);
    final Semaphore readable = new Semaphore(0);
    private volatile @Nullable String wrong;
    private final AtomicLong stored = new AtomicLong();

    @Override
    public void run() throws InterruptedException {
      Thread offering = Thread.ofPlatform().start(this::offer);
      Thread moving = Thread.ofPlatform().start(this::move);
      read();
      offering.join();
      moving.join();
      Races.check(wrong == null, wrong);
    }

    private void offer() {
      StoredFrame frame = new StoredFrame();
      for (long number = 0; number < MESSAGES; number++) {
        frame.message(number, 0, message(number));
        while (!ring.offer(frame)) {
          moved.acquireUninterruptibly();
        }
        movable.release();
        readable.release();
      }
    }

    private void move() {
      StoredFrame frame = new StoredFrame();
      for (long number = 0; number < MESSAGES; number++) {
        movable.acquireUninterruptibly();
        if (!ring.peek(frame) || frame.number() != number) {
          wrong = "message %d is damaged when it is moved".formatted(number);
          moved.release(MESSAGES);
          return;
        }
        stored.setRelease(number + 1);
        ring.release();
        moved.release();
      }
    }

    abstract void read();

    void read(RingReader reader, long number) {
      if (reader.read(number)) {
        wrong = reader.payload().equals(message(number)) ? wrong : "bytes of another message";
      } else if (stored.getAcquire() <= number) {
        wrong = "message %d is neither in the ring nor in the file".formatted(number);
      }
    }

    private static ByteBuffer message(long number) {
      return ByteBuffer.allocate(Long.BYTES).putLong(0, 1_000 + number);
    }
  }

  /** Reads one message after the other. */
  static final class OfferMoveRead extends OfferMove {

    @Override
    void read() {
      RingReader reader = new RingReader(ring);
      for (long number = 0; number < MESSAGES; number++) {
        readable.acquireUninterruptibly();
        read(reader, number);
      }
    }
  }

  /** Looks for a message, from the oldest one on. */
  static final class OfferMoveSeek extends OfferMove {

    @Override
    void read() {
      readable.acquireUninterruptibly(3);
      read(new RingReader(ring), 2);
    }
  }

  @Test
  void aMessageIsInTheRingOrInTheFile() {
    Races.explore(OfferMoveRead.class, 400, STEPS);
    Races.explore(OfferMoveSeek.class, 400, STEPS);
  }

  @Test
  void findsAnOfferThatDoesNotLookForRoom() {
    Races.find(OfferMoveRead.class, 400, Mutation.reading(Ring.class, "offer", "tail", "passed"));
  }

  @Test
  void findsAReaderThatDoesNotAskWhetherItsFrameWasOverwritten() {
    Races.find(OfferMoveSeek.class, 2_000, STEPS, Mutation.returning(Ring.class, "isKept", 1));
  }
}
