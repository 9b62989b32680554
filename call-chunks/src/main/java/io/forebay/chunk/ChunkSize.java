/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

/**
 * How many calls a full chunk of a service has: always the same number, or the one that hill
 * climbing finds between two bounds.
 *
 * <p>It measures the time per call at the current size, then at twice or half the size, then at the
 * current size again. It compares the second with the mean of the other two, so that a service that
 * becomes slower or faster meanwhile does not look like a gain. A larger size must save at least 5
 * percent of the time per call; a smaller one may cost up to 2 percent, because small chunks need
 * less memory and fewer calls fail together. After a size that was kept it continues in the same
 * direction, otherwise it turns round. After two failed trials in a row it rests for a while,
 * because the optimum may move but trials cost time. A size at which chunks do not become full, or
 * at which a chunk fails, is not kept. If a chunk times out, the size is halved.
 *
 * <p>The problem, and climbing with a sign and a step: Gounaris, Yfoulis, Sakellariou, Dikaiakos,
 * "A control theoretical approach to self-optimizing block transfer in Web service grids", ACM
 * Transactions on Autonomous and Adaptive Systems 3(2), 2008.
 *
 * <p>Thread-safe. All collectors that call the service share it.
 */
final class ChunkSize {

  /** The number of chunks, and their time, that a measurement has at least. */
  static final int CHUNKS = 16;

  static final long NANOS = 100_000_000;

  /** How many measurements pass between two failed trials and the next one. */
  static final int REST = 30;

  private static final int FIRST = 100;
  private static final int STEP = 2;
  private static final double LEAST_GAIN = 0.05;
  private static final double LARGEST_LOSS = 0.02;

  private enum Phase {
    BEFORE,
    TRIAL,
    AFTER,
    REST
  }

  private final int min;
  private final int max;
  private volatile int size;

  // The rest is guarded by this.
  private int best;
  private boolean up = true;
  private int failedTrials;
  private int rested;
  private Phase phase = Phase.BEFORE;
  private double costBefore;
  private double costOfTrial;
  private int trial;

  // The current measurement.
  private int chunks;
  private long calls;
  private long callsOfFull;
  private long nanos;

  ChunkSize(ChunkOptions options) {
    min = options.minItems();
    max = options.maxItems();
    best = Math.clamp(FIRST, min, max);
    size = best;
  }

  int get() {
    return size;
  }

  boolean isFixed() {
    return min == max;
  }

  /**
   * Adds an answered chunk to the measurement. Chunks of an earlier size do not count.
   *
   * @param sizeThen the size when it was sent
   * @param callsOfChunk how many calls it had
   * @param elapsed the time since the previous chunk was answered or, if later, since calls waited
   *     for the service again
   */
  synchronized void answered(int sizeThen, int callsOfChunk, long elapsed) {
    if (isFixed() || sizeThen != size) {
      return;
    }
    chunks++;
    calls += callsOfChunk;
    callsOfFull += callsOfChunk == sizeThen ? callsOfChunk : 0;
    nanos += elapsed;
    if (chunks >= CHUNKS && nanos >= NANOS) {
      double cost = (double) nanos / calls;
      boolean full = 2 * callsOfFull > calls;
      begin(size);
      if (full) {
        measured(cost);
      } else if (phase == Phase.TRIAL) {
        reject();
      }
    }
  }

  /**
   * Ends the trial of a size at which a chunk failed, and halves one at which a chunk timed out.
   */
  synchronized void failed(int sizeThen, boolean timedOut) {
    if (isFixed() || sizeThen != size) {
      return;
    }
    if (phase == Phase.TRIAL) {
      reject();
    } else if (timedOut) {
      best = Math.max(min, best / STEP);
      up = false;
      phase = Phase.BEFORE;
      begin(best);
    }
  }

  private void begin(int next) {
    size = next;
    chunks = 0;
    calls = 0;
    callsOfFull = 0;
    nanos = 0;
  }

  private void measured(double cost) {
    switch (phase) {
      case REST -> {
        rested++;
        if (rested >= REST) {
          rested = 0;
          phase = Phase.BEFORE;
        }
      }
      case BEFORE -> {
        costBefore = cost;
        if (best == (up ? max : min)) {
          up = !up;
        }
        phase = Phase.TRIAL;
        begin(up ? (int) Math.min(max, (long) STEP * best) : Math.max(min, best / STEP));
      }
      case TRIAL -> {
        costOfTrial = cost;
        phase = Phase.AFTER;
        trial = size;
        begin(best);
      }
      case AFTER -> {
        double gain = 1 - 2 * costOfTrial / (costBefore + cost);
        if (gain >= (up ? LEAST_GAIN : -LARGEST_LOSS)) {
          best = trial;
          failedTrials = 0;
          phase = Phase.BEFORE;
          begin(best);
        } else {
          reject();
        }
      }
    }
  }

  private void reject() {
    up = !up;
    failedTrials++;
    phase = failedTrials % 2 == 0 ? Phase.REST : Phase.BEFORE;
    begin(best);
  }
}
