/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Simulated growth per minute in bytes per second, reproducible by its seed. */
public enum Traffic {
  FLAT {
    @Override
    double shape(int minute) {
      return 1;
    }
  },
  /** 70 % up by day and down by night. */
  DAILY_WAVE {
    @Override
    double shape(int minute) {
      return wave(minute);
    }
  },
  /** The daily wave with four bursts a day of eight times as much, 5 to 30 minutes long. */
  BURSTS {
    @Override
    double shape(int minute) {
      return wave(minute);
    }

    @Override
    void disturb(float[] rates, RandomGenerator random) {
      for (int minute = 0; minute < rates.length; minute++) {
        if (random.nextDouble() < 4.0 / 1440) {
          int end = Math.min(rates.length, minute + random.nextInt(5, 31));
          for (; minute < end; minute++) {
            rates[minute] *= 8;
          }
        }
      }
    }
  },
  /** A daily wave with a fifth of it at weekends, which the estimator does not model. */
  WEEKLY {
    @Override
    double shape(int minute) {
      return wave(minute) * (minute / 1440 % 7 >= 5 ? 0.2 : 1);
    }
  };

  public static final double MEAN = 20e6;

  /** The share of a minute's noise that carries over to the next: noise lasts about an hour. */
  private static final double PERSISTENCE = 0.98;

  private static final double NOISE = 0.2;

  abstract double shape(int minute);

  void disturb(float[] rates, RandomGenerator random) {}

  private static double wave(int minute) {
    return 1 - 0.7 * Math.cos(2 * Math.PI * minute / 1440);
  }

  public float[] minutes(int count, long seed) {
    RandomGenerator random = new SplittableRandom(seed * 31 + ordinal());
    float[] rates = new float[count];
    double noise = 0;
    for (int minute = 0; minute < count; minute++) {
      noise =
          PERSISTENCE * noise
              + Math.sqrt(1 - PERSISTENCE * PERSISTENCE) * NOISE * random.nextGaussian();
      double own = 1 + noise + 0.1 * random.nextGaussian();
      rates[minute] = (float) (MEAN * shape(minute) * Math.max(0.05, own));
    }
    disturb(rates, random);
    return rates;
  }

  /** The bytes of the minutes in [from, to). */
  public static double bytes(float[] rates, int from, int to) {
    double sum = 0;
    for (float rate : Arrays.copyOfRange(rates, from, to)) {
      sum += 60.0 * rate;
    }
    return sum;
  }
}
