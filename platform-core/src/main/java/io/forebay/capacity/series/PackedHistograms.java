/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.HdrHistogram.Histogram;

/**
 * A ring of histograms, one per step; the newest is open, the others are stored in HdrHistogram's
 * compressed format. They have two digits, whatever is added: three would take six times the
 * memory.
 */
public final class PackedHistograms {

  private static final long EMPTY = Long.MIN_VALUE;
  private static final byte[] NOTHING = new byte[0];

  private final long stepSeconds;
  private final byte[][] packed;
  private Histogram open = emptyHistogram();
  private long newest = EMPTY;

  public PackedHistograms(Duration step, int length) {
    stepSeconds = step.toSeconds();
    packed = new byte[length][];
    Arrays.fill(packed, NOTHING);
  }

  private static Histogram emptyHistogram() {
    Histogram histogram = new Histogram(2);
    histogram.setAutoResize(true);
    return histogram;
  }

  /**
   * Adds values. Values of the previous step come late and are added to the newest. If values are
   * older, the clock was set back: later steps are discarded.
   */
  public void add(Instant at, Histogram nanos) {
    long step = Math.floorDiv(at.getEpochSecond(), stepSeconds);
    if (newest == EMPTY || step > newest) {
      close(step);
    } else if (newest - step > 1) {
      setBack(step);
    }
    open.add(nanos);
  }

  private void setBack(long step) {
    open = unpack(reaches(step) ? packed[slot(step)] : NOTHING);
    for (long future = Math.max(step, newest - packed.length + 1); future <= newest; future++) {
      packed[slot(future)] = NOTHING;
    }
    newest = step;
  }

  private static Histogram unpack(byte[] bytes) {
    Histogram histogram = emptyHistogram();
    if (bytes.length > 0) {
      histogram.add(Histogram.decodeFromByteBuffer(ByteBuffer.wrap(bytes), 0));
    }
    return histogram;
  }

  private void close(long next) {
    if (newest != EMPTY) {
      packed[slot(newest)] = pack(open);
      for (long step = newest + 1; step <= Math.min(next, newest + packed.length); step++) {
        packed[slot(step)] = NOTHING;
      }
      open.reset();
    }
    newest = next;
  }

  /** The counts of a histogram; no bytes if it is empty. */
  private static byte[] pack(Histogram histogram) {
    if (histogram.getTotalCount() == 0) {
      return NOTHING;
    }
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoByteBuffer(buffer);
    return Arrays.copyOf(buffer.array(), length);
  }

  public boolean reaches(Instant from) {
    return newest != EMPTY && reaches(Math.floorDiv(from.getEpochSecond(), stepSeconds));
  }

  private boolean reaches(long step) {
    return step > newest - packed.length;
  }

  /** The merged histogram of the steps that begin in [from, to). */
  public Histogram merged(Instant from, Instant to) {
    Histogram merged = emptyHistogram();
    if (newest == EMPTY) {
      return merged;
    }
    long first =
        Math.max(Math.ceilDiv(from.getEpochSecond(), stepSeconds), newest - packed.length + 1);
    long end = Math.min(Math.ceilDiv(to.getEpochSecond(), stepSeconds), newest + 1);
    for (long step = first; step < end; step++) {
      byte[] bytes = packed[slot(step)];
      if (step == newest) {
        merged.add(open);
      } else if (bytes.length > 0) {
        merged.add(Histogram.decodeFromByteBuffer(ByteBuffer.wrap(bytes), 0));
      }
    }
    return merged;
  }

  private int slot(long step) {
    return (int) Math.floorMod(step, (long) packed.length);
  }
}
