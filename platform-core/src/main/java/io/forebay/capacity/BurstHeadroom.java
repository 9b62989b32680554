/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Duration;

/**
 * How long the service withstands a burst that begins now.
 *
 * @param perSecond messages per second of the burst, X
 * @param late until a message of the burst waits longer than the limit; depends on the database
 * @param full until the disk is full and messages are refused: {@link
 *     io.forebay.capacity.disk.Runway#low()}
 */
public record BurstHeadroom(double perSecond, Figure<Until> late, Figure<Until> full) {

  /** The rate of the reference burst, as a multiple of the usual one. */
  public static final int TIMES = 10;

  private static final String FOREVER = "the database keeps up with arriving messages";

  /**
   * A service before a burst.
   *
   * @param limit the longest wait allowed
   * @param accepted messages per second now, A; also the rate after the burst
   * @param databaseRate messages per second that the database can perform, C
   * @param unperformed messages that already wait, L
   * @param bytesPerMessage on disk, b
   */
  public record Service(
      Duration limit,
      Figure<Double> accepted,
      Figure<Double> databaseRate,
      Figure<Long> unperformed,
      Figure<Double> bytesPerMessage) {

    /** The bytes per second that a burst at this rate adds to the present rate. */
    public Figure<Double> extraBytesPerSecond(double perSecond) {
      return accepted.with(bytesPerMessage, (now, bytes) -> (perSecond - now) * bytes);
    }
  }

  /**
   * @param full until the disk is full at this rate, from {@code VolumeHistory.present}
   */
  public static BurstHeadroom of(double perSecond, Service service, Figure<Until> full) {
    return new BurstHeadroom(perSecond, late(perSecond, service), full);
  }

  /** The same if messages are late then. */
  public BurstHeadroom late(Until then) {
    return new BurstHeadroom(perSecond, Figure.measured(then), full);
  }

  /** The same while no messages are accepted: then none is late. */
  public BurstHeadroom refused(String why) {
    return new BurstHeadroom(perSecond, Figure.unknown(why), Figure.measured(new Until.Passed()));
  }

  /**
   * (limit · C - L) / (X - C), at least zero: a message waits for those before it; when L + (X - C)
   * t of them wait, the next one waits (L + (X - C) t) / C.
   */
  static Figure<Until> late(double perSecond, Service service) {
    return service
        .databaseRate()
        .with(
            service.unperformed(),
            (can, waiting) -> {
              double room = Lag.seconds(service.limit()) * can - waiting;
              if (room <= 0) {
                return new Until.Passed();
              }
              return perSecond > can
                  ? Until.ofSeconds(room / (perSecond - can), FOREVER)
                  : new Until.Never(FOREVER);
            });
  }

  /**
   * The rate to plan with: ten times the usual rate, which is the median of the minutes of 24 hours
   * in which messages arrived.
   *
   * <pre>
   * X = 10 · median { A(m) : m a minute of the last 24 hours, A(m) &gt; 0 }
   * </pre>
   *
   * A median does not follow a burst: it stays within the usual rates as long as bursts take less
   * than half of these minutes (breakdown point 1/2; P. J. Huber, Robust Statistics, 1981). Idle
   * minutes say nothing about the rate of messages.
   */
  public static Figure<Double> referenceRate(Figure<Double> usual) {
    return usual.map(rate -> TIMES * rate);
  }
}
