/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** A service simulated second by second, with an intake and a database of limited rate. */
final class SimulatedService {

  static final Instant START = Instant.parse("2026-11-20T00:00:00Z");
  static final int BYTES = 400;

  final ServiceHistory history;
  boolean paused;
  int partitions = 4;

  /** Whether the database does not respond: what runs has no effect, and is performed later. */
  boolean away;

  /** Per second of acceptance: the time, and how many of its messages still wait. */
  private final ArrayDeque<long[]> waiting = new ArrayDeque<>();

  /** The messages of the running batch; 0 if none runs. */
  private int batch;

  private Instant ends = START;
  Instant now = START;
  long accepted;
  long performed;
  long failed;

  /** The share of time that is lost to statements that fail. */
  double lost;

  SimulatedService() {
    history = new ServiceHistory();
  }

  /**
   * @param come messages accepted per second
   * @param can the most messages that the database performs per second
   */
  SimulatedService run(Duration length, int come, int can) {
    for (long i = 0; i < length.toSeconds(); i++) {
      second(come, can);
    }
    return this;
  }

  private void second(int come, int can) {
    now = now.plusSeconds(1);
    waiting.addLast(new long[] {now.getEpochSecond() - 1, come});
    accepted += come;
    int done = 0;
    while (!paused && done < can && !waiting.isEmpty()) {
      long[] head = waiting.getFirst();
      int taken = (int) Math.min(can - done, head[1]);
      done += taken;
      head[1] -= taken;
      if (head[1] == 0) {
        waiting.removeFirst();
      }
    }
    performed += done;
    history.add(sample(done / (double) can));
  }

  /**
   * Performs in batches, which count when they are committed.
   *
   * @param come messages accepted per second
   * @param most the most messages of a batch
   * @param seconds how long each batch takes
   */
  SimulatedService batches(Duration length, int come, int most, int seconds) {
    for (long i = 0; i < length.toSeconds(); i++) {
      now = now.plusSeconds(1);
      if (away) {
        batch = 0;
      } else if (batch == 0 && !paused) {
        batch = (int) Math.min(most, accepted - performed);
        ends = now.plusSeconds(seconds - 1);
      }
      if (come > 0) {
        waiting.addLast(new long[] {now.getEpochSecond() - 1, come});
        accepted += come;
      }
      boolean isBusy = batch > 0;
      if (batch > 0 && !now.isBefore(ends)) {
        performed += batch;
        take(batch);
        batch = 0;
      }
      history.add(sample(isBusy ? 1 : 0));
    }
    return this;
  }

  private void take(int messages) {
    int left = messages;
    while (left > 0) {
      long[] head = waiting.getFirst();
      int taken = (int) Math.min(left, head[1]);
      left -= taken;
      head[1] -= taken;
      if (head[1] == 0) {
        waiting.removeFirst();
      }
    }
  }

  ServiceSample sample(double busy) {
    return new ServiceSample(
        now,
        OptionalLong.of(accepted),
        OptionalLong.of(performed),
        failed,
        lost,
        OptionalLong.of(accepted * BYTES),
        Optional.ofNullable(waiting.peekFirst()).map(it -> Instant.ofEpochSecond(it[0])),
        partitions,
        0,
        OptionalDouble.of(busy),
        paused);
  }
}
